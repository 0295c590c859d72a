import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { mistakesIn } from '../../validation/value-check.ts'
import { editorSchema } from './editor-schema.ts'
import { checkOf, type HintSchema } from './hint-schema.ts'
import { OPERATION_VOCABULARY } from './operation-vocabulary.ts'
import { PATH_VOCABULARY, SERVICE_VOCABULARY } from './vocabulary.ts'

const ajv = new Ajv({ allErrors: true, strict: true, strictTypes: false, strictRequired: false })
const isValid = ajv.compile(editorSchema())

const VOCABULARIES: Readonly<Record<string, Readonly<Record<string, HintSchema>>>> = {
  service: SERVICE_VOCABULARY,
  path: PATH_VOCABULARY,
  operation: OPERATION_VOCABULARY,
}

/** A value that many fields refuse, and values that some allow. */
const VALUES: readonly unknown[] = [
  ...[false, true, 0, 1, -1, 1.5, '', 'books', '/data', '/a~b', 'list', 'client', 'any'],
  ...[null, [], {}, [{}], { style: 'page' }, { style: 'pages' }, { by: 'sort', direction: 1 }],
  ...[{ '/total': 'total' }, { '/total': 'sum' }, { name: 'name' }, { name: 1 }, { x: {} }],
  ...[[{ delay: '30s', set: {} }], [{ delay: 'PT30S', set: {}, from: {} }]],
  ...[[{ delay: 'soon', set: {} }], [{ delay: '1h30m' }], [{ delay: 'P', set: {} }]],
  ...[{ free: { minute: 1, day: 1 } }, { refusals: 3 }, { refusals: 0 }, { date: '2030-12-05' }],
]

describe('the schema for editors and the checks of a document agree', () => {
  const fields = Object.entries(VOCABULARIES).flatMap(([kind, vocabulary]) =>
    Object.entries(vocabulary).map(([name, schema]) => [kind, name, schema] as const),
  )

  test.each(fields)('on %s.%s', (kind, name, schema) => {
    for (const value of VALUES) {
      const hints = { 'x-sandbox': { [name]: value } }
      const document = {
        service: hints,
        path: { paths: { '/a': hints } },
        operation: { paths: { '/a': { get: hints } } },
      }
      const allowed = mistakesIn(value, checkOf(schema)).length === 0

      expect(isValid(Reflect.get(document, kind)), JSON.stringify(value)).toBe(allowed)
    }
  })
})

describe('the schema for editors refuses', () => {
  const UNKNOWN = { 'x-sandbox': { acton: 'list' } }

  test.each<[place: string, file: object]>([
    ['an unknown field of the document', UNKNOWN],
    ['an unknown field of a path', { paths: { '/a': UNKNOWN } }],
    ['an unknown field of an operation', { paths: { '/a': { get: UNKNOWN } } }],
    ['an unknown field of a schema', { components: { schemas: { A: UNKNOWN } } }],
    [
      'an unknown field of a response',
      { paths: { '/a': { get: { responses: { 200: UNKNOWN } } } } },
    ],
    ...['$', '$.paths.*', "$.paths['/a']", "$.paths['/a'].get", '$.components.schemas.A'].map(
      (target): [string, object] => [
        `an unknown field in the update of ${target}`,
        { actions: [{ target, update: UNKNOWN }] },
      ],
    ),
  ])('%s', (_place, file) => {
    expect(isValid(file)).toBe(false)
  })
})

test('the schema for editors says nothing about what is not x-sandbox', () => {
  const file = {
    openapi: '3.1.1',
    paths: { '/a': { get: { tags: ['x'], 'x-other': 1, responses: {} }, 'x-other': 1 } },
    actions: [{ target: "$.paths['/a'].get.summary", update: 'A' }],
  }

  expect(isValid(file)).toBe(true)
})
