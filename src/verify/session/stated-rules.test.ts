import { expect, test } from 'vitest'
import { hasWords, isInOtherState, membersOf, spaced } from './stated-rules.ts'

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

test('an e-mail address in a text is the property email', () => {
  expect(hasWords(spaced('An E-mail address occurs once'), spaced('email'))).toBe(true)
})

test('what an action sets to a word is a state, whatever it is called', () => {
  const schema = { enum: ['in_use', 'mothballed'] }

  expect(membersOf('condition', schema)).toEqual([])
  expect(membersOf('condition', schema, true)).toContainEqual(['mothballed', 'mothballed'])
})
