/** A real client: a program written by others, and the driver that has it do what it can. */
export interface CataloguedClient {
  /** Names its files. */
  readonly id: string;
  /** The package that it comes in, as conformance/clients/package.json pins it. */
  readonly program: string;
  /** What is said of it in the table besides its name. */
  readonly as: string;
  /** A file of conformance/clients/drivers, and its own arguments. */
  readonly driver: string;
  readonly args: readonly string[];
  /**
   * Whether it can be told of a metadata document to be known by; or knows none, and registers itself; or knows its
   * maker's alone, which needs the way to where that is.
   */
  readonly document: 'can be given' | 'none' | 'of its maker';
  /**
   * Whether it goes on with its refresh token when its token ended. One that registers anew first offers it as another
   * client than it was given to, and is refused.
   */
  readonly refreshes: boolean;
}

const DOCUMENTS: Readonly<Record<string, CataloguedClient['document']>> = {
  'ai-sdk': 'none',
  mcporter: 'none',
  codex: 'of its maker',
};

/** Every client that `npm run clients` runs. */
export const CATALOGUE: readonly CataloguedClient[] = [
  client('official-modern', '@modelcontextprotocol/client', 'negotiating', 'official', '--era', 'modern'),
  client('official-legacy', '@modelcontextprotocol/client', 'older era', 'official', '--era', 'legacy'),
  client('old-sdk', '@modelcontextprotocol/sdk', '', 'old-sdk'),
  client('inspector', '@modelcontextprotocol/inspector', 'command line', 'inspector'),
  client('mcpdo', '@modelcontextprotocol/inspector', 'command line with a daemon, `mcpdo`', 'mcpdo'),
  client('mcp-remote', 'mcp-remote', 'between the old SDK and the server', 'mcp-remote'),
  client('ai-sdk', '@ai-sdk/mcp', '', 'ai-sdk'),
  client('mastra', '@mastra/mcp', '', 'mastra'),
  client('mcporter', 'mcporter', 'command line', 'mcporter'),
  client('codex', '@openai/codex', 'app server', 'codex'),
];

function client(
  id: string,
  program: string,
  as: string,
  driver: string,
  ...args: string[]
): CataloguedClient {
  const document = DOCUMENTS[id] ?? 'can be given';
  return { id, program, as, driver, args, document, refreshes: id !== 'mcporter' };
}
