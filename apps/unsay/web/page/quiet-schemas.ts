/*
 * The MCP client checks messages with a schema library that probes for `new Function` when it is loaded.
 * The content security policy rightly refuses that; saying so first saves a violation report on each load.
 * It must be imported before the client.
 */
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
