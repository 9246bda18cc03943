// One flow of the OAuth conformance test of @mcpjam/sdk, told as JSON on standard output. Plain JavaScript, because what
// it imports is installed on demand and has no types before that.
// mcpjam.mjs URL VERSION dcr|cimd [DOCUMENT]; PERSON is the address of somebody who signs in and agrees.

import { OAuthConformanceTest } from '@mcpjam/sdk';

const [serverUrl, protocolVersion, registrationStrategy, clientIdMetadataUrl] = process.argv.slice(2);

const result = await new OAuthConformanceTest({
  serverUrl,
  protocolVersion,
  registrationStrategy,
  scopes: 'care.read.user',
  oauthConformanceChecks: true,
  ...(clientIdMetadataUrl && { client: { clientIdMetadataUrl }, redirectUrl: process.env.REDIRECT }),
  verification: { listTools: true },
  auth: {
    mode: 'interactive',
    openUrl: async (address) => {
      await fetch(`${process.env.PERSON}?${new URLSearchParams({ to: address })}`);
    },
  },
}).run();

const steps = result.steps.map(({ step, status, summary, error }) => ({
  step,
  status,
  why: error?.message ?? summary,
}));
process.stdout.write(`${JSON.stringify({ passed: result.passed, summary: result.summary, steps })}\n`);
process.exit(0);
