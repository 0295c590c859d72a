import { expect, test } from 'vitest'
import type { RecordProperty } from './collection-details.ts'
import { allProperties, changesOf, readForm, readRecordJson, toTexts } from './record-changes.ts'
import { fieldErrorsOf } from './record-errors.ts'

const PROPERTIES: readonly RecordProperty[] = [
  { name: 'name', schema: { type: 'string' }, required: true, readOnly: false },
  { name: 'size', schema: { type: 'integer' }, required: false, readOnly: false },
  { name: 'tags', schema: { type: 'array' }, required: false, readOnly: false },
]
const RECORD = { name: 'Ada', tags: ['a'], note: 'x' }

test('a form that was not changed is the same record', () => {
  const properties = allProperties(PROPERTIES, RECORD)

  const { values, errors } = readForm(properties, toTexts(properties, RECORD), RECORD)

  expect(values).toEqual(RECORD)
  expect(errors).toEqual({})
})

test('what was changed alone is sent', () => {
  const properties = allProperties(PROPERTIES, RECORD)
  const texts = { ...toTexts(properties, RECORD), size: '5' }

  const { values } = readForm(properties, texts, RECORD)

  expect(changesOf(values, RECORD)).toEqual({ size: 5 })
})

test('each text that is no value has its mistake', () => {
  const { errors } = readForm(PROPERTIES, { size: 'big', tags: '[' }, {})

  expect(Object.keys(errors)).toEqual(['size', 'tags'])
})

test.each([
  ['[]', 'A record is an object'],
  ['{', 'Not valid JSON'],
  ['{"name":"Ada","tags":[]}', 'keeps properties that are left out: note'],
])('the JSON %s is a mistake', (text, error) => {
  expect(readRecordJson(text, RECORD).errors['']).toContain(error)
})

test.each([
  ['name', { name: 'must be a text.' }],
  ['tags[0]', { tags: 'tags[0]: must be a text.' }],
  ['names', { '': 'Cannot create: must be a text.' }],
])('a mistake at %s is shown where it is', (location, expected) => {
  const error = {
    location,
    reason: 'must be a text',
    help: '',
    message: 'Cannot create: must be a text.',
  }

  expect(fieldErrorsOf(error, ['name', 'tags'])).toEqual(expected)
})
