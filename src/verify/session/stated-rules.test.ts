import { expect, test } from 'vitest'
import { sentencesOf } from './stated-rules.ts'

test('each case of a list has the status before the list', () => {
  const text = `Adds a lesson.

Answered with 409 when

* the course is cancelled;
* the course is full: it has as many lessons
  as \`places\`; or
* the room is taken.

A lesson may be long.`

  expect(sentencesOf(text)).toEqual([
    'Adds a lesson.',
    'Answered with 409 when the course is cancelled (409).',
    'the course is full (409):',
    'it has as many lessons as places (409).',
    'the room is taken (409).',
    'A lesson may be long.',
  ])
})

test('each case between semicolons has the status before them', () => {
  const text =
    'Refused with 422: `a` is after `b`; `c` names nothing. The rest is optional.\n\nMore; less.'

  expect(sentencesOf(text)).toEqual([
    'Refused with 422:',
    'a is after b (422).',
    'c names nothing (422).',
    'The rest is optional.',
    'More;',
    'less.',
  ])
})

test('what a semicolon joins with a refusal is one sentence with it', () => {
  expect(
    sentencesOf('It must have a lesson; otherwise 409. A is new; both are answered with 422.'),
  ).toEqual(['It must have a lesson; otherwise 409.', 'A is new; both are answered with 422.'])
})
