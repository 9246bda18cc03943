#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// What was compiled once need not be again, which is half of a start. It is kept beside the program and not in a
// folder that others can write to; where nothing can be written there, every start compiles.
enableCompileCache(fileURLToPath(new URL('../../.cache/', import.meta.url)));

await import('./command-line.ts');
