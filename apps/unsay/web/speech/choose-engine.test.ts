import { expect, test } from 'vitest';
import { usableVoice } from './choose-engine.ts';

const british = { lang: 'en-GB', localService: true, default: false };
const android = { lang: 'en_US', localService: true, default: true };
const remote = { lang: 'en-GB', localService: false, default: true };
const german = { lang: 'de-DE', localService: true, default: true };

test('a voice on this machine that speaks English, the default one first', () => {
  expect(usableVoice([german, british, android])).toBe(android);
  expect(usableVoice([german, british])).toBe(british);
});

test('a voice that would send the words elsewhere is not used', () => {
  expect(usableVoice([remote, german])).toBeNull();
  expect(usableVoice([])).toBeNull();
});
