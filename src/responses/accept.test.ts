import { expect, test } from 'vitest'
import { parseAccept, qualityOf } from './choose-media-type.ts'

test.each([
  ['application/json', 'application/json', 1],
  ['text/csv;q=0.4, application/json', 'text/csv', 0.4],
  ['text/*;q=0.5, text/csv;q=0', 'text/csv', 0],
  ['text/*;q=0.5, text/csv;q=0', 'text/plain', 0.5],
  ['*/*;q=0.1, application/json', 'image/png', 0.1],
  ['APPLICATION/JSON; Q=0.2', 'application/json', 0.2],
  ['application/json;version=1;q=0.3', 'application/json', 0.3],
  ['application/json;q=high', 'application/json', 1],
  ['text/html', 'application/json', 0],
])('the header %s wants %s with the quality %d', (header, mediaType, quality) => {
  expect(qualityOf(mediaType, parseAccept(header))).toBe(quality)
})
