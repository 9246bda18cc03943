import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pair } from '../harness/pairing.ts';
import { modernHeaders, modernMessage, post } from '../harness/raw-mcp.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { Application, Person } from '../harness/sign-in.ts';

const WOUND = 'care://ray/wound';
const READ = 'care.read.user';

const data = temporaryFolder();
let server: RunningServer;
let assistant: Application;

beforeAll(async () => {
  server = await startServer(data);
  await new Person(server).enrol();
  assistant = await Application.register(server);
});

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
});

function readWound(token: string, at = server): Promise<Response> {
  const message = modernMessage('resources/read', { uri: WOUND });
  return post(at.url, message, modernHeaders(token, 'resources/read', WOUND));
}

describe('a person from whom everything is taken', () => {
  it('gets none of it back for what was let in before, when something is given again', async () => {
    const sub = 'robbed';
    const back = { sub, subjects: ['ray'], scopes: [READ, 'care.read.assistant'] };
    await server.operate('subject-grant', back);
    const robbed = new Person(server, 'of the robbed');
    const paired = await server.mint(READ, { sub, client: 'unsay-console' });
    expect((await robbed.addPasskey(paired)).status).toBe(201);
    const asked = await robbed.signIn(await robbed.sentBy(assistant.authorization(READ)));
    const { access_token: token = '', refresh_token: refresh } = await assistant.exchange(
      (await robbed.allow(asked.pathname, ['ray'])).searchParams.get('code'),
    );
    for (const one of [token, paired]) expect((await readWound(one)).status).toBe(200);
    await server.operate('subject-revoke', { sub, subjects: ['*'], scopes: [] });
    for (const one of [token, paired]) expect((await readWound(one)).status).toBe(401);
    expect(await assistant.refresh(refresh)).toMatchObject({ status: 400, error: 'invalid_grant' });
    const minted = await server.mint(READ, { sub, client: 'unsay-console' });
    expect((await new Person(server, 'of a thief').addPasskey(minted)).status).toBe(404);
    await server.operate('subject-grant', back);
    for (const one of [token, paired]) expect((await readWound(one)).status).toBe(401);
    expect(await assistant.refresh(refresh)).toMatchObject({ status: 400, error: 'invalid_grant' });
    expect((await readWound(minted)).status).toBe(200);
  });

  it('takes the console with it that was paired before there was any account', async () => {
    const folder = temporaryFolder();
    const fresh = await startServer(folder);
    const code = fresh.code('console');
    const unused = ((await fresh.operate('pair', { page: 'console' })) as { address: string }).address;
    const first = await (await pair(fresh, code)).json();
    const { access_token: token } = first as { access_token: string };
    expect((await new Person(fresh).addPasskey(token)).status).toBe(201);
    await fresh.operate('subject-revoke', { sub: 'owner', subjects: ['*'], scopes: [] });
    const late = await (await pair(fresh, unused.split('#')[1] ?? '')).json();
    const { access_token: second } = late as { access_token: string };
    for (const bearer of [token, second]) expect((await readWound(bearer, fresh)).status).toBe(401);
    // Who owns the folder pairs it again.
    const { address } = (await fresh.operate('pair', { page: 'console' })) as { address: string };
    const again = await (await pair(fresh, address.split('#')[1] ?? '')).json();
    expect((await readWound((again as { access_token: string }).access_token, fresh)).status).toBe(200);
    await fresh.stop();
    removeFolder(folder);
  });
});

describe('a passkey that was lost', () => {
  it('is listed, and opens nothing once it was taken away, with a sign-in begun before or after', async () => {
    await server.operate('subject-grant', { sub: 'loser', subjects: ['ray'], scopes: [READ] });
    const loser = new Person(server, 'that was lost');
    await loser.addPasskey(await server.mint(READ, { sub: 'loser', client: 'unsay-console' }));
    const listed = JSON.parse((await server.unsay('passkey', 'list', '--sub', 'loser', '--json')).stdout);
    expect(listed.passkeys).toEqual([
      { id: expect.any(String), label: 'My key', addedAt: expect.stringMatching(/Z$/) },
    ]);
    const [{ id }] = listed.passkeys;
    const notTheirs = await server.unsay('passkey', 'remove', id, '--sub', 'owner');
    expect([notTheirs.code, notTheirs.stderr]).toEqual([1, expect.stringContaining('no such passkey')]);
    const begun = await loser.sentBy(assistant.authorization(READ));
    const removed = await server.unsay('passkey', 'remove', id, '--sub', 'loser');
    expect(removed).toMatchObject({ code: 0, stdout: expect.stringContaining('0 left') });
    await expect(loser.signIn(begun)).rejects.toThrow('the step was refused: 401');
    await expect(loser.signIn(await loser.sentBy(assistant.authorization(READ)))).rejects.toThrow('401');
    expect((await server.unsay('passkey', 'list', '--sub', 'nobody')).code).toBe(1);
  });
});
