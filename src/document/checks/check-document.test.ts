import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { useTemporaryDirectory } from '../../testing/temporary-directory.ts'
import { UsageError } from '../../validation/usage-error.ts'
import type { Diagnostic } from '../diagnostic.ts'
import { loadDocument } from '../load-document.ts'

const directory = useTemporaryDirectory()

/** All mistakes of a document. */
async function check(text: string): Promise<readonly Diagnostic[]> {
  const file = join(directory(), 'api.yaml')
  await writeFile(file, text)
  const document = await loadDocument(file)

  return document.check()
}

/** The mistakes, each as one line without the folder. */
async function linesFor(text: string): Promise<readonly string[]> {
  const mistakes = await check(text)
  return mistakes.map(
    ({ location, reason, assumed }) =>
      `${location.replace(/^.*api\.yaml:?/, '')} ${reason}: ${assumed}`,
  )
}

function head(version = '3.1.1'): string {
  return `openapi: ${version}\ninfo: { title: Things, version: '1' }\n`
}

/** A document with one operation, whose response has this media type. It is in line 7. */
function withMedia(media: string, version?: string): string {
  return `${head(version)}paths:
  /things:
    get:
      responses:
        '200': { description: All., content: { application/json: ${media} } }
`
}

describe('all mistakes of a document are found:', () => {
  test('a wrong structure does not hide those in schemas, operations and examples', async () => {
    const text = `${head()}tags: none
paths:
  /a/{id}:
    get:
      operationId: a
      responses:
        '200': { content: { application/json: { schema: { type: strng, minLength: x }, example: 1 } } }
  /b:
    get: { operationId: a, responses: {} }
`

    expect(await linesFor(text)).toEqual([
      '11:25 the operationId "a" is already used by GET /a/{id}: its name is "GET /b"',
      '6:5 GET /a/{id} does not declare the parameter {id}: it is any text',
      '3:7 "tags" must be an array: the value is ignored',
      '9:16 "200" has no "description": it is empty',
      '9:65 "type" has the invalid value "strng": the value is ignored',
      '9:83 "minLength" must be an integer: the value is ignored',
    ])
  })

  test.each<[string, string, string[]]>([
    [
      'a $ref that is a number',
      withMedia('{ schema: { $ref: 5 } }'),
      ['7:84 a $ref must be a string (got 5): it is ignored'],
    ],
    [
      'the same in OpenAPI 3.0',
      withMedia('{ schema: { $ref: [a] } }', '3.0.3'),
      ['7:84 a $ref must be a string (got ["a"]): it is ignored'],
    ],
    [
      'a dialect of draft-07, in a part of a schema',
      withMedia(
        `{ schema: { items: { $schema: 'http://json-schema.org/draft-07/schema#', type: string } } }`,
      ),
      [
        '7:96 the "$schema" dialect "http://json-schema.org/draft-07/schema#" is not supported: it is read as JSON Schema 2020-12, with older keywords translated',
      ],
    ],
    [
      'a $ref in the place of an operation, once',
      `${head('3.0.3')}paths:\n  /a:\n    get: { $ref: '#/x-get' }\nx-get: { responses: { '204': { description: Done. } } }\n`,
      ['5:12 "get" must not be a $ref: it is followed'],
    ],
    [
      'an unknown field of OpenAPI 3.1 in a document of 3.2, but no field that 3.2 has added',
      `${head('3.2.0')}paths:\n  /a:\n    query: { responses: { '204': {} } }\n    post: { summry: A, responses: { '204': { summary: Done. } } }\n`,
      ['6:13 "post" has the unknown field "summry": the field is ignored'],
    ],
    [
      'an unknown security scheme type, once',
      `${head()}paths: {}\ncomponents: { securitySchemes: { key: { type: magic } } }\n`,
      ['4:39 the security scheme "key" has no known type: any Authorization header is accepted'],
    ],
    [
      'an x-deprecation that is no object',
      `${head()}paths: { /a: { get: { x-deprecation: soon, responses: {} } } }\n`,
      ['3:38 "x-deprecation" must be an object: the operation is deprecated, without dates'],
    ],
    [
      'a path with unbalanced braces',
      `${head()}paths: { '/a/{b': { get: { responses: {} } } }\n`,
      ['3:10 the path "/a/{b" has unbalanced braces: a brace without a partner is text'],
    ],
    [
      'a pattern in the key of patternProperties',
      withMedia(`{ schema: { patternProperties: { '(': {}, '^a': {} } } }`),
      ['7:99 "(" is not a valid regular expression: this key is ignored'],
    ],
  ])('%s', async (_what, text, expected) => {
    expect(await linesFor(text)).toEqual(expected)
  })

  test('each mistake says what was assumed instead', async () => {
    const mistakes = await check(
      `${head()}tagz: []\nservers: [{ url: 5 }]\npaths: { a: {}, /b: { get: { parameters: [{ in: x }] } } }\n`,
    )

    expect(mistakes.length).toBeGreaterThan(3)
    expect(mistakes.filter(({ assumed }) => assumed === undefined)).toEqual([])
  })

  test('those of a second file, at their place in it', async () => {
    await writeFile(join(directory(), 'get.yaml'), 'get: { summry: A, responses: {} }\n')

    const [mistake, ...others] = await check(`${head()}paths: { /a: { $ref: get.yaml } }\n`)

    expect(mistake?.location).toMatch(/get\.yaml:1:8$/)
    expect(mistake?.reason).toBe('"get" has the unknown field "summry"')
    expect(others).toEqual([])
  })
})

describe('an example that does not match its schema is a mistake:', () => {
  const AGE = 'schema: { type: object, properties: { age: { type: integer } } }'

  test.each<[string, string, string[]]>([
    [
      'of a response, which does not send it',
      withMedia(`{ ${AGE}, example: { age: old } }`),
      [
        '7:150 the example of the response 200 of GET /things does not match its schema: example.age must be integer: it is not sent',
      ],
    ],
    [
      'of several, the one that is wrong',
      withMedia(
        `{ ${AGE}, examples: { young: { value: { age: 1 } }, old: { value: { age: x } } } }`,
      ),
      [
        '7:197 the example "old" of the response 200 of GET /things does not match its schema: example.age must be integer: it is not sent',
      ],
    ],
    [
      'of a schema',
      withMedia('{ schema: { type: object, properties: { a: { type: integer, example: x } } } }'),
      [
        '7:135 the example of the schema "a" does not match its schema: example must be integer: it is not used',
      ],
    ],
    [
      'of a parameter',
      `${head()}paths: { /a: { get: { parameters: [{ in: query, name: b, schema: { type: integer }, example: x }], responses: {} } } }\n`,
      [
        '3:94 the example of the query parameter "b" of GET /a does not match its schema: example must be integer: it is not used',
      ],
    ],
    [
      'of a request body',
      `${head()}paths: { /a: { post: { requestBody: { content: { application/json: { schema: { type: integer }, example: x } } }, responses: {} } } }\n`,
      [
        '3:106 the example of the request body of POST /a does not match its schema: example must be integer: it is not used',
      ],
    ],
  ])('%s', async (_what, text, expected) => {
    expect(await linesFor(text)).toEqual(expected)
  })

  test('so is a default, which is not set', async () => {
    const schema = '{ type: object, properties: { a: { type: integer, default: x } } }'

    expect(await linesFor(withMedia(`{ schema: ${schema} }`))).toEqual([
      '7:135 the default of the schema "a" does not match its schema: default must be integer: it is not set',
    ])
  })

  test('one that omits a read-only property is right in a request', async () => {
    const schema = `{ type: object, required: [id], properties: { id: { type: integer, readOnly: true } }, example: {} }`

    expect(await linesFor(withMedia(`{ schema: ${schema} }`))).toEqual([])
  })
})

describe('a document that is too large is checked in part:', () => {
  test('after 2,000 examples, a diagnostic says so, and the strict mode accepts it', async () => {
    const examples = Array.from({ length: 2001 }, (_, index) => index)
    const text = `${head()}paths: {}\ncomponents:\n  schemas:\n    S: { type: integer, examples: [${examples}] }\n`

    const lines = await linesFor(text)

    expect(lines).toEqual([
      ' some of the examples were not checked, because the document is too large: they are correct',
    ])
    await expect(loadDocument(join(directory(), 'api.yaml'), { strict: true })).resolves.toBeTypeOf(
      'object',
    )
  })

  test('$refs that expand to billions of values are checked once each', async () => {
    const levels = Array.from({ length: 40 }, (_, level) => {
      const ref = `{ $ref: '#/components/schemas/S${level + 1}' }`
      return `    S${level}: { type: object, properties: { a: ${ref}, b: ${ref} } }\n`
    })

    const text = `${head('3.0.3')}paths: {}\ncomponents:\n  schemas:\n${levels.join('')}    S40: { tipe: a }\n`

    expect(await linesFor(text)).toEqual([
      '46:12 "S40" has the unknown field "tipe": the field is ignored',
    ])
  })
})

test('a long YAML text that is nested too deeply is reported with the place', async () => {
  const long = `x-long: ${'a'.repeat(5_000_001)}\n`

  await expect(
    check(`${head()}${long}x-deep: ${'['.repeat(900)}${']'.repeat(900)}\n`),
  ).rejects.toThrow(
    /the file is nested more than 400 levels deep \(.*api\.yaml:4:808\)\. Flatten the structure\./,
  )
})

test('the strict mode lists the mistakes of all kinds in one error', async () => {
  const file = join(directory(), 'api.yaml')
  await writeFile(file, `${head()}tags: none\ntags: []\npaths: { '/a/{b}': { get: {} } }\n`)

  const error = await loadDocument(file, { strict: true }).catch((error: unknown) => error)

  expect(error).toBeInstanceOf(UsageError)
  expect(String(error)).toContain('2 mistakes.')
})

test('a $ref to a component of another kind is a mistake', async () => {
  const text = `${head()}paths:
  /a:
    get:
      parameters: [{ $ref: '#/components/schemas/S' }, { $ref: '#/components/parameters/P' }]
      requestBody: { $ref: '#/components/parameters/P' }
      responses:
        '200': { $ref: '#/components/responses/R' }
components:
  schemas:
    S: { type: object, properties: { parameters: { $ref: '#/components/schemas/S' } } }
  parameters:
    P: { name: p, in: query, schema: { $ref: '#/components/responses/R' } }
  responses:
    R: { description: All. }
`
  const lines = await linesFor(text)

  expect(lines.filter((line) => line.includes('$ref must be'))).toEqual([
    '6:28 the $ref must be to a parameter, and not to a schema: what is there is read as a parameter',
    '7:28 the $ref must be to a request body, and not to a parameter: what is there is read as a request body',
    '14:46 the $ref must be to a schema, and not to a response: what is there is read as a schema',
  ])
})

test('the key of a callback that is no expression and no URL is reported, and not sent', async () => {
  const keys = [
    "'{$request.body#/url}'",
    "'https://hooks.test/{$request.query.id}'",
    '$request.header.callback',
  ]
  const wrong = ["'{request.body#/url}'", '/hooks/paid', "'a receiver'"]
  const callbacks = [...keys, ...wrong].map(
    (key) => `          ${key}: { post: { responses: { '200': { description: Fine. } } } }`,
  )
  const text = `${head()}paths:
  /things:
    post:
      callbacks:
        paid:
${callbacks.join('\n')}
      responses: { '201': { description: Created. } }
`

  const lines = await linesFor(text)

  expect(lines).toEqual(
    ['{request.body#/url}', '/hooks/paid', 'a receiver'].map(
      (key, at) =>
        `${11 + at}:11 the callback "paid" has the key "${key}", which is no runtime expression and no URL: it is not sent`,
    ),
  )
})
