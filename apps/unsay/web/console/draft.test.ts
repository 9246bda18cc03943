import { expect, test } from 'vitest';
import { factOf } from '../live/sample-fact.ts';
import {
  acceptNewer,
  isDirty,
  meetHead,
  newestOf,
  obstacle,
  openDraft,
  previewBodyOf,
  withdrawalObstacle,
  withdrawalOf,
  writeBodyOf,
} from './draft.ts';

const URI = 'care://ray/gait';
const author = { authorId: 'physio-7', authorLabel: '' };
const opened = openDraft(factOf(URI, 2), author);

test('a draft begins as the fact stands, with nothing to lose', () => {
  expect(opened.value).toBe('New words number 2');
  expect(isDirty(opened)).toBe(false);
  expect(isDirty({ ...opened, value: 'Slow steps.' })).toBe(true);
});

test('a newer head leaves what was typed alone, and the condition as it was until it has been shown', () => {
  const typed = { ...opened, value: 'Slow steps.' };
  const met = meetHead(typed, factOf(URI, 3));
  expect(met).toMatchObject({ value: 'Slow steps.', newer: { version: 3 }, base: { version: 2 } });
  expect(acceptNewer(met)).toMatchObject({ value: 'Slow steps.', newer: null, base: { version: 3 } });
});

test('a head that is not newer changes nothing', () => {
  expect(meetHead(opened, factOf(URI, 2))).toBe(opened);
  expect(meetHead(opened, factOf(URI, 1))).toBe(opened);
});

test('an empty value, no author and a broken date each stand in the way', () => {
  expect(obstacle(opened)).toBeNull();
  expect(obstacle({ ...opened, value: ' \n' })).toMatch(/empty/);
  expect(obstacle({ ...opened, authorId: ' ' })).toMatch(/author/);
  expect(obstacle({ ...opened, reviewBy: 'soon' })).toMatch(/date/);
});

test('only what was filled in is sent', () => {
  expect(writeBodyOf(opened)).toEqual({ uri: URI, value: 'New words number 2', authorId: 'physio-7' });
  const full = { ...opened, authorLabel: ' your physiotherapist ', reviewBy: '2026-12-01T09:00' };
  expect(writeBodyOf(full)).toMatchObject({
    authorLabel: 'your physiotherapist',
    staleAfter: new Date('2026-12-01T09:00').toISOString(),
  });
});

test('a review date that has passed is not proposed again', () => {
  const draft = openDraft(factOf(URI, 2, { stale: true, staleAfter: '2026-01-01T09:00:00.000Z' }), author);
  expect(draft.reviewBy).toBe('');
  expect(isDirty(draft)).toBe(false);
});

test('a review date survives editing to the minute', () => {
  const staleAfter = new Date('2026-12-01T09:30').toISOString();
  const draft = openDraft(factOf(URI, 2, { staleAfter }), author);
  expect(draft.reviewBy).toBe('2026-12-01T09:30');
  expect(writeBodyOf(draft).staleAfter).toBe(staleAfter);
  expect(isDirty(draft)).toBe(false);
});

test('a withdrawal carries its author and no word of the draft', () => {
  const typed = { ...opened, value: 'Half a thought', authorLabel: 'the ward', reviewBy: '2026-12-01T09:00' };
  expect(withdrawalOf(typed)).toEqual({
    uri: URI,
    withdraw: true,
    authorId: 'physio-7',
    authorLabel: 'the ward',
  });
  expect(withdrawalObstacle(typed)).toBeNull();
  expect(withdrawalObstacle({ ...typed, authorId: ' ' })).toMatch(/author/);
});

test('sentences can be seen before the author is named, and not before there are words', () => {
  expect(previewBodyOf(opened)).toEqual(writeBodyOf(opened));
  expect(previewBodyOf({ ...opened, authorId: '' })).toMatchObject({ value: opened.value });
  expect(previewBodyOf({ ...opened, value: ' \n' })).toBeNull();
});

test('what listeners will have heard is the newest head that is known', () => {
  expect(newestOf(opened).version).toBe(2);
  expect(newestOf(meetHead(opened, factOf(URI, 3))).version).toBe(3);
});
