import { expect, test } from 'vitest'
import { createTexts } from '../../document/document-texts.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import type { ProbeResponse } from '../messages.ts'
import {
  hasWords,
  isInOtherState,
  isRefusedByRule,
  membersOf,
  sentencesOf,
  spaced,
} from './stated-rules.ts'

const schema = { type: 'object', properties: { status: { enum: ['draft', 'published', 'spam'] } } }

test.each([
  ['Number of published reviews.', true],
  ['Number of reviews, also published ones.', false],
  ['Number of reviews that are not spam.', false],
  ['Number of drafts.', false],
  ['The reviews, and no others. Without a key only published ones are listed.', true],
  ['Number of reviews.', false],
])('%s: whether a draft is in another state is %s', (text, isOther) => {
  expect(isInOtherState({ status: 'draft' }, text, schema)).toBe(isOther)
})

test.each(['previousStatus', 'target_status', 'lastState'])('%s is not the state', (name) => {
  const schema = { type: 'object', properties: { [name]: { enum: ['draft', 'published'] } } }

  expect(isInOtherState({ [name]: 'draft' }, 'Number of published reviews.', schema)).toBe(false)
})

test('a flag that is called like what was done is a state', () => {
  expect(membersOf('paid', { type: 'boolean' })).toEqual([[true, 'paid']])
  expect(membersOf('public', { type: 'boolean' })).toEqual([])
})

test.each([
  ['Amount in dollars, with at most two decimals.', false],
  ['Amount in dollars, at most what is open.', true],
])('%s: whether it is a rule that 100000 can break is %s', async (description, isRule) => {
  const amount = { type: 'number', maximum: 100_000, description }
  const requestBody = {
    content: { 'application/json': { schema: { type: 'object', properties: { amount } } } },
  }
  const paths = { '/fees': { post: { requestBody, responses: { 201: { description: 'New.' } } } } }
  const [operation] = (await loadDocumentOf(paths)).operations
  const request = { operation, method: 'POST', target: '/fees', body: '{"amount":100000}' }
  const refused = { status: 422, request, text: 'The amount is too large.' }

  const isRefused = isRefusedByRule(refused as unknown as ProbeResponse, createTexts({ paths }))

  expect(isRefused).toBe(isRule)
})

test('an e-mail address in a text is the property email', () => {
  expect(hasWords(spaced('An E-mail address occurs once'), spaced('email'))).toBe(true)
})

test('what an action sets to a word is a state, whatever it is called', () => {
  const schema = { enum: ['in_use', 'mothballed'] }

  expect(membersOf('condition', schema)).toEqual([])
  expect(membersOf('condition', schema, true)).toContainEqual(['mothballed', 'mothballed'])
})

test.each([
  ['The name is unique (409). Others are not.', 2],
  ['The name is unique (409), and the code is short.', 2],
  ['It is a conflict (409) if the box is full.', 1],
  ['Refused (409) when the box is closed, unless it is empty.', 1],
])('a status ends a sentence, unless what follows says when it is so: %s', (text, count) => {
  expect(sentencesOf(text)).toHaveLength(count)
})

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
  const text =
    'It has lessons; otherwise 409. A is new; this is answered with 409. B; both are refused with 422 otherwise.'

  expect(sentencesOf(text)).toEqual([
    'It has lessons; otherwise 409.',
    'A is new (409).',
    'B; otherwise 422.',
  ])
})
