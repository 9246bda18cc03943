import type { LiveResources } from '@unsay/live-resources';
import type { HttpContext } from '../../src/http/context.ts';
import type { OpenStore } from './engines.ts';
import type { NodeParts } from './node.ts';

/** A fault put into every node of a run on purpose: each member takes a real part and gives, or makes, a broken one. */
export interface Plant {
  readonly name: string;
  readonly kept?: (kept: OpenStore, node: NodeParts) => OpenStore;
  readonly live?: (live: LiveResources, node: NodeParts) => LiveResources;
  readonly context?: (context: HttpContext, node: NodeParts) => void;
}
