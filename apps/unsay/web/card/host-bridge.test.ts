import { describe, expect, it } from 'vitest';
import { VirtualScheduler } from '../page/virtual-scheduler.ts';
import { connectHost, type Host } from './host-bridge.ts';
import { SampleHost } from './sample-host.ts';

const INITIALIZED = { protocolVersion: '2026-01-26', hostInfo: {}, hostCapabilities: {}, hostContext: {} };

interface Opened {
  readonly view: SampleHost;
  readonly scheduler: VirtualScheduler;
  readonly host: Host;
  readonly heard: string[];
}

async function open(): Promise<Opened> {
  const view = new SampleHost();
  const scheduler = new VirtualScheduler();
  const heard: string[] = [];
  const connecting = connectHost(view, scheduler, {
    toolResult: () => void heard.push('tool result'),
    teardown: () => void heard.push('teardown'),
  });
  view.answer(INITIALIZED);
  return { view, scheduler, heard, host: await connecting };
}

describe('the bridge to a host', () => {
  it('opens as the extension has it', async () => {
    const { view } = await open();
    expect(view.posted).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'ui/initialize',
        params: {
          protocolVersion: '2026-01-26',
          appInfo: { name: 'unsay-device-card', version: '0.1.0' },
          appCapabilities: {},
        },
      },
      { jsonrpc: '2.0', method: 'ui/notifications/initialized', params: {} },
    ]);
  });

  it('gives each answer to its question, in whatever order they come', async () => {
    const { view, host } = await open();
    const first = host.ask('resources/read', { uri: 'care://ray/wound' });
    const id = view.asked.id;
    const second = host.ask('resources/list', {});
    view.answer({ resources: [] });
    view.post({ jsonrpc: '2.0', id, error: { code: -32602, message: 'no' } });
    expect(await second).toEqual({ resources: [] });
    await expect(first).rejects.toMatchObject({ code: -32602, message: 'no' });
  });

  it('hears no other window, and nothing that is not JSON-RPC', async () => {
    const { view, host, heard } = await open();
    const asked = host.ask('resources/list', {});
    const { id } = view.asked;
    const told = { jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: {} };
    view.post({ jsonrpc: '2.0', id, result: { resources: ['forged'] } }, { another: 'window' });
    view.post(told, { another: 'window' });
    for (const nothing of [null, 'text', 7, { id, result: 1 }, { ...told, jsonrpc: '1.0' }])
      view.post(nothing);
    view.answer({ resources: ['true'] });
    expect(await asked).toEqual({ resources: ['true'] });
    expect(heard).toEqual([]);
    view.post(told);
    expect(heard).toEqual(['tool result']);
  });

  it('answers what a host asks', async () => {
    const { view, heard } = await open();
    const from = view.posted.length;
    for (const [id, method] of ['ping', 'ui/resource-teardown', 'tools/list'].entries())
      view.post({ jsonrpc: '2.0', id, method, params: {} });
    expect(view.posted.slice(from)).toEqual([
      { jsonrpc: '2.0', id: 0, result: {} },
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 2, error: { code: -32601, message: 'Method not found' } },
    ]);
    expect(heard).toEqual(['teardown']);
  });

  it('gives up a question after ten seconds, and an opening with its listener', async () => {
    const { view, host, scheduler } = await open();
    const asked = host.ask('resources/list', {});
    scheduler.advance(9_999);
    expect(scheduler.waiting).toBe(1);
    scheduler.advance(1);
    await expect(asked).rejects.toMatchObject({ code: null });
    view.answer({ resources: [] });

    const silent = new SampleHost();
    const opening = connectHost(silent, scheduler, { toolResult: () => {}, teardown: () => {} });
    expect(silent.listeners).toBe(1);
    scheduler.advance(10_000);
    await expect(opening).rejects.toMatchObject({ code: null });
    expect(silent.listeners).toBe(0);
  });

  it('tells its height', async () => {
    const { view, host } = await open();
    host.resized(320);
    expect(view.posted.at(-1)).toEqual({
      jsonrpc: '2.0',
      method: 'ui/notifications/size-changed',
      params: { height: 320 },
    });
  });
});
