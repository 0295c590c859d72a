import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSandbox } from '../sandbox/sandbox.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'
import { type Diagnostic, type LoadedDocument, loadDocument } from './load-document.ts'

const directory = useTemporaryDirectory()

/** A diagnostic as one line, without the folder. */
function lineOf({ location, reason, assumed }: Diagnostic): string {
  return `${location.replace(`${directory()}/`, '')} ${reason}: ${assumed}`
}

async function load(text: string): Promise<LoadedDocument> {
  const file = join(directory(), text.startsWith('\uFEFF{') ? 'api.json' : 'api.yaml')
  await writeFile(file, text)
  return loadDocument(file)
}

/** The status of each request, such as `POST /things {"a":1}`. */
function send(document: LoadedDocument, requests: readonly string[]): Promise<number[]> {
  const sandbox = createSandbox({ contract: document.contract })
  return Promise.all(
    requests.map(async (request) => {
      const [, method = '', path = '', body] = /^(\w+) (\S+) ?(.+)?$/.exec(request) ?? []
      const headers = { 'Content-Type': 'application/json' }
      const init = body === undefined ? { method } : { method, body, headers }
      return (await sandbox.fetch(new Request(`http://localhost${path}`, init))).status
    }),
  )
}

/** The status of one POST for each body. */
function post(document: LoadedDocument, bodies: readonly string[]): Promise<number[]> {
  return send(
    document,
    bodies.map((body) => `POST /things ${body}`),
  )
}

function head(version = '3.1.1'): string {
  return `openapi: ${version}\ninfo: { title: Things, version: '1' }\n`
}

/** A document in which a Thing has this schema. Its text is in line 5. */
function things(schema: string, more = '', version = '3.1.1'): string {
  return `${head(version)}components:
  schemas:
    Thing: ${schema}
    Text: { type: string }
    Number: { type: integer }
${more}
paths:
  /things:
    post:
      requestBody:
        content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
      responses: { '201': { description: Added. } }
`
}

const DONE = `responses: { '204': { description: Done. } }`

function property(schema: string, more?: string, version?: string): string {
  return things(`{ type: object, properties: { a: ${schema} } }`, more, version)
}

const IGNORED = 'the keyword is ignored'

describe('a schema with a mistake is used as far as possible:', () => {
  test.each<[string, string, string[], string[], string[]]>([
    ['a description of null', property('{ description: null, type: integer }'), ['1'], ['"x"'], []],
    [
      'a boolean exclusiveMinimum in OpenAPI 3.1',
      property('{ minimum: 1, exclusiveMinimum: true }'),
      ['2'],
      ['1'],
      [],
    ],
    [
      'a numeric exclusiveMinimum in OpenAPI 3.0',
      property('{ exclusiveMinimum: 1 }', '', '3.0.3'),
      ['2'],
      ['1'],
      [],
    ],
    [
      'the dialect draft-04',
      property(`{ $schema: 'http://json-schema.org/draft-04/schema#', type: integer }`),
      ['1'],
      ['"x"'],
      [],
    ],
    [
      'the dialect draft-07',
      property(`{ $schema: 'http://json-schema.org/draft-07/schema#', type: integer }`),
      ['1'],
      ['"x"'],
      [],
    ],
    [
      'an unknown dialect',
      property(`{ $schema: 'https://books.test/dialect', type: integer }`),
      ['1'],
      ['"x"'],
      [],
    ],
    [
      'keywords beside a $ref in OpenAPI 3.0, which are ignored',
      property(`{ $ref: '#/components/schemas/Number', maximum: 3 }`, '', '3.0.3'),
      ['4'],
      ['"x"'],
      [],
    ],
    [
      'keywords beside a $ref in OpenAPI 3.1, which are enforced',
      property(`{ $ref: '#/components/schemas/Number', maximum: 3 }`),
      ['3'],
      ['"x"', '4'],
      [],
    ],
    [
      'a $ref to an anchor',
      property(`{ $ref: '#whole' }`, '    Whole: { $anchor: whole, type: integer }'),
      ['1'],
      ['"x"'],
      [],
    ],
    [
      'a $ref to an $id',
      property(
        `{ $ref: 'https://books.test/whole' }`,
        '    Whole: { $id: "https://books.test/whole", type: integer }',
      ),
      ['1'],
      ['"x"'],
      [],
    ],
    [
      'a $ref to another server, which stands for anything',
      property(`{ $ref: 'https://books.test/b.yaml#/B' }`),
      ['1', '"x"'],
      [],
      [
        'api.yaml:5:53 the $ref "https://books.test/b.yaml#/B" points to another server: it stands for anything',
      ],
    ],
    ['a schema that is null', property('null'), ['1'], [], []],
    ['a schema that is text', property('text'), ['1'], [], []],
    ['a schema that is a list', property('[]'), ['1'], [], []],
    [
      'an empty enum',
      property('{ enum: [] }'),
      ['1'],
      [],
      [`api.yaml:5:53 "enum" must be a list with at least one value (got []): ${IGNORED}`],
    ],
    [
      'an unknown type',
      property('{ type: file }'),
      ['1'],
      [],
      [
        `api.yaml:5:53 "type" must be one of null, boolean, object, array, number, string, integer, or a list of them (got "file"): ${IGNORED}`,
      ],
    ],
    [
      'required: true in a property',
      property('{ type: string, required: true }'),
      ['"x"'],
      ['1'],
      [],
    ],
    [
      'an invalid regular expression',
      property(`{ type: string, pattern: '(' }`),
      ['"x"'],
      ['1'],
      [`api.yaml:5:70 "(" is not a valid regular expression: ${IGNORED}`],
    ],
    [
      'items as a list',
      property('{ items: [{ type: string }, { type: integer }] }'),
      ['["x", 1]'],
      ['[1]', '["x", "y"]'],
      [],
    ],
    [
      'a required discriminator in a base that names no schemas',
      property(
        '{ type: object, required: [type], properties: { type: { type: string } }, discriminator: { propertyName: type } }',
      ),
      ['{ "b": 1 }', '{ "b": 1, "type": "x" }'],
      ['{}', '{ "b": 1, "type": 1 }'],
      [],
    ],
    [
      'items as a list of what a value may be',
      property('{ items: [{ type: object, required: [b] }, { type: "null" }] }'),
      ['{ "b": 1 }', 'null'],
      ['[{ "b": 1 }]', '1'],
      [],
    ],
    ['nullable', property('{ type: string, nullable: true }'), ['null'], ['1'], []],
    [
      'nullable beside enum',
      property('{ enum: [x], type: string, nullable: true }'),
      ['null', '"x"'],
      ['1', '"y"'],
      [],
    ],
    [
      'nullable beside a $ref in OpenAPI 3.1',
      property(`{ $ref: '#/components/schemas/Text', nullable: true }`),
      ['null', '"x"'],
      ['1'],
      [],
    ],
    [
      'nullable beside a $ref in OpenAPI 3.0, which is ignored',
      property(`{ $ref: '#/components/schemas/Text', nullable: true }`, '', '3.0.3'),
      ['"x"'],
      ['1', 'null'],
      [],
    ],
    [
      'nullable beside allOf with one $ref',
      property(`{ nullable: true, allOf: [{ $ref: '#/components/schemas/Text' }] }`, '', '3.0.3'),
      ['null', '"x"'],
      ['1'],
      [],
    ],
    [
      'YAML aliases and merge keys',
      property('{ <<: *low, maximum: 5 }').replace(
        'components:',
        'x-low: &low { type: integer, minimum: 3 }\ncomponents:',
      ),
      ['3', '5'],
      ['2', '6'],
      [],
    ],
  ])('%s', async (_what, text, valid, invalid, expected) => {
    const document = await load(text)

    const accepted = await post(
      document,
      valid.map((value) => `{"a":${value}}`),
    )
    const refused = await post(
      document,
      invalid.map((value) => `{"a":${value}}`),
    )

    expect(accepted).toEqual(valid.map(() => 201))
    expect(refused).toEqual(invalid.map(() => 400))
    expect(document.diagnostics.list().map(lineOf)).toEqual(expected)
  })

  test.each([
    ...['constructor', 'toString', '$ref', 'x-foo', 'default', 'properties', 'required', 'allOf'],
  ])('a property may have the name %s', async (name) => {
    const document = await load(
      things(`{ type: object, properties: { ${name}: { type: integer } } }`),
    )

    const statuses = await post(document, [`{"${name}":1}`, `{"${name}":"x"}`])

    expect(statuses).toEqual([201, 400])
  })

  test.each(['__proto__', 'constructor', 'x-schema'])(
    'a schema may have the name %s',
    async (name) => {
      const schema = property(
        `{ $ref: '#/components/schemas/${name}' }`,
        `    ${name}: { type: integer }`,
      )

      const statuses = await post(await load(schema), ['{"a":1}', '{"a":"x"}'])

      expect(statuses).toEqual([201, 400])
    },
  )

  test('requests need no read-only property that an allOf or a $ref marks', async () => {
    const document = await load(
      things(
        `{ allOf: [{ $ref: '#/components/schemas/Base' }, { required: [id, name, secret], properties: { secret: { type: string, writeOnly: true } } }] }`,
        `    Base: { type: object, properties: { id: { allOf: [{ $ref: '#/components/schemas/Id' }] }, name: { type: string } } }
    Id: { type: integer, readOnly: true }`,
      ),
    )

    const statuses = await post(document, ['{"name":"x","secret":"y"}', '{"name":"x"}'])

    expect(statuses).toEqual([201, 400])
  })

  test.each([
    [
      'directly',
      `{ properties: { n: { type: integer }, next: { $ref: '#/components/schemas/Thing' } } }`,
    ],
    [
      'through another schema',
      `{ properties: { n: { type: integer }, next: { $ref: '#/components/schemas/Next' } } }`,
    ],
  ])('a schema may contain itself %s', async (_how, schema) => {
    const next = `    Next: { allOf: [{ $ref: '#/components/schemas/Thing' }] }`

    const statuses = await post(await load(things(schema, next)), [
      '{"next":{"next":{"n":1}}}',
      '{"next":{"next":{"n":"x"}}}',
    ])

    expect(statuses).toEqual([201, 400])
  })

  test('a schema that applies itself to the same value accepts anything there', async () => {
    const document = await load(
      things(`{ allOf: [{ $ref: '#/components/schemas/Thing' }, { required: [a] }] }`),
    )

    const statuses = await post(document, ['{"a":1}', '{}'])

    expect(statuses).toEqual([201, 400])
    expect(document.diagnostics.list().map(lineOf)).toEqual([
      'api.yaml:5:12 the schema applies itself to the same value, so validation never ends: it accepts anything there',
    ])
  })

  test('a schema that applies too many schemas to the same value accepts anything from there on', async () => {
    const branches = Array.from({ length: 20 }, (_, index) => {
      const next =
        index === 19 ? '{ required: [a] }' : `{ $ref: '#/components/schemas/S${index + 1}' }`
      return `    S${index}: { allOf: [${next}, ${next}] }`
    })
    const document = await load(things(`{ $ref: '#/components/schemas/S0' }`, branches.join('\n')))

    const statuses = await post(document, ['{"a":1}'])

    expect(statuses).toEqual([201])
    expect(new Set(document.diagnostics.list().map(({ reason }) => reason))).toEqual(
      new Set(['the schema applies too many schemas to the same value']),
    )
  })

  test('the mistake of a schema in another file is located in that file', async () => {
    await writeFile(join(directory(), 'other.yaml'), 'Other:\n  type: strng\n')
    const document = await load(property(`{ $ref: './other.yaml#/Other' }`))

    const statuses = await post(document, ['{"a":1}'])

    expect(statuses).toEqual([201])
    expect(document.diagnostics.list()).toMatchObject([
      { location: join(directory(), 'other.yaml:2:9') },
    ])
  })

  test('the last one of duplicate keys counts, which the check reports', async () => {
    const document = await load(property('{ type: string, type: integer }'))

    const statuses = await post(document, ['{"a":1}', '{"a":"x"}'])

    expect(statuses).toEqual([201, 400])
    expect((await document.check()).map(lineOf)).toEqual([
      'api.yaml:5:61 the key "type" is duplicated: the last one counts',
    ])
  })
})

describe('an operation with a mistake is served as far as possible:', () => {
  const twoPaths = (one: string, other: string): string =>
    `${head()}paths:
  '/a/{x}': { ${one}: { parameters: [{ name: x, in: path, schema: { type: string } }], ${DONE} } }
  '/a/{y}': { ${other}: { parameters: [{ name: y, in: path, schema: { type: string } }], ${DONE} } }
`

  test.each<[string, string, Record<string, number>, string[]]>([
    [
      'duplicate operation ids',
      `${head()}paths: { /a: { get: { operationId: x, ${DONE} } }, /b: { get: { operationId: x, ${DONE} } } }`,
      { 'GET /a': 204, 'GET /b': 204 },
      ['api.yaml:3:115 the operationId "x" is already used by GET /a: its name is "GET /b"'],
    ],
    [
      'templates that differ in their parameter names',
      twoPaths('get', 'delete'),
      { 'GET /a/1': 204, 'DELETE /a/1': 204, 'PUT /a/1': 405 },
      [],
    ],
    [
      'templates that differ in their parameter names, with the same method',
      twoPaths('get', 'get'),
      { 'GET /a/1': 204 },
      [
        'api.yaml:5:3 GET /a/{y} matches the same requests as GET /a/{x}: the first one answers them',
      ],
    ],
    [
      'a $ref instead of an operation',
      `${head()}paths: { /a: { get: { $ref: '#/components/x-a' } } }\ncomponents: { x-a: { ${DONE} } }`,
      { 'GET /a': 204 },
      [],
    ],
    [
      'a $ref instead of the content',
      `${head()}paths: { /a: { get: { responses: { '200': { description: d, content: { $ref: '#/x-c' } } } } } }\nx-c: { application/json: { example: 1 } }`,
      { 'GET /a': 200 },
      [],
    ],
    [
      '$refs in extensions, which are not followed',
      `${head()}x-a: { $ref: ./no.yaml }\npaths: { /a: { get: { x-b: { $ref: '#/no' }, ${DONE} } } }`,
      { 'GET /a': 204 },
      [],
    ],
    [
      'a $ref of a path item to another server',
      `${head()}paths: { /a: { $ref: 'https://books.test/a.yaml' }, /b: { get: { ${DONE} } } }`,
      { 'GET /a': 404, 'GET /b': 204 },
      [
        'api.yaml:3:22 the $ref "https://books.test/a.yaml" points to another server: it stands for anything',
      ],
    ],
    [
      'no paths',
      head(),
      { 'GET /a': 404 },
      ['api.yaml:1:1 the document has no paths: there are no operations'],
    ],
    [
      'only webhooks',
      `${head()}webhooks: { w: { post: { ${DONE} } } }`,
      { 'GET /a': 404 },
      ['api.yaml:1:1 the document has no paths: there are no operations'],
    ],
    [
      'paths of null',
      `${head()}paths: null`,
      { 'GET /a': 404 },
      ['api.yaml:3:8 "paths" must be an object: there are no operations'],
    ],
    [
      'bearerFormat beside the scheme Bearer',
      `${head()}security: [{ b: [] }]\ncomponents: { securitySchemes: { b: { type: http, scheme: Bearer, bearerFormat: JWT } } }\npaths: { /a: { get: { ${DONE} } } }`,
      { 'GET /a': 401 },
      [],
    ],
    [
      'JSON with a byte order mark',
      `\uFEFF{"openapi":"3.1.0","info":{},"paths":{"/a":{"get":{"responses":{"204":{}}}}}}`,
      { 'GET /a': 204 },
      [],
    ],
  ])('%s', async (_what, text, expected, diagnostics) => {
    const document = await load(text)

    const statuses = await send(document, Object.keys(expected))

    expect(statuses).toEqual(Object.values(expected))
    expect(document.diagnostics.list().map(lineOf)).toEqual(diagnostics)
  })

  test.each(['null', 'text', '[]', '5'])('parts that are %s', async (value) => {
    const document = await load(`${head()}tags: ${value}
servers: ${value}
security: ${value}
components: { schemas: ${value}, securitySchemes: ${value} }
paths:
  /item: ${value}
  /operation: { get: ${value}, put: { ${DONE} } }
  /parameters: { parameters: ${value}, get: { parameters: ${value}, ${DONE} } }
  /parameter: { get: { parameters: [${value}, { name: ${value}, in: query, schema: ${value} }], ${DONE} } }
  /body: { post: { requestBody: ${value}, ${DONE} } }
  /responses: { get: { responses: ${value} } }
  /response: { get: { responses: { '200': ${value} } } }
  /content: { get: { responses: { '200': { content: ${value}, headers: ${value} } } } }
  /media: { get: { responses: { '200': { content: { application/json: ${value} }, headers: { A: ${value} } } } } }
`)

    const statuses = await send(document, [
      ...['GET /item', 'PUT /operation', 'GET /parameters', 'GET /parameter', 'POST /body {}'],
      ...['GET /responses', 'GET /response', 'GET /content', 'GET /media'],
    ])

    expect(statuses).toEqual([404, 204, 204, 204, 204, 200, 200, 200, 200])
    expect(await document.check()).not.toHaveLength(0)
  })

  test('a pattern that the example of its schema breaks refuses nothing', async () => {
    const code = "{ type: string, pattern: '^[a-z]+$', example: AB-1 }"
    const body = `{ content: { application/json: { schema: { properties: { code: ${code} } } } } }`
    const document = await load(
      `${head()}\npaths: { /things: { post: { requestBody: ${body}, ${DONE} } } }`,
    )

    expect(await post(document, ['{"code":"AB-1"}', '{"code":"x"}'])).toEqual([204, 204])
    expect((await document.check()).map(lineOf)).toContainEqual(
      expect.stringMatching(/"pattern" must be one that the example .*: the keyword is ignored/),
    )
  })

  test('a document without paths is checked', async () => {
    const document = await load(head())

    const found = await document.check()

    expect(found).toHaveLength(1)
  })
})

test('a body whose media type the document leaves out or misnames is accepted as clients send it', async () => {
  const schema = '{ schema: { type: object, properties: { a: { type: string } }, required: [a] } }'
  const body = (type: string): string =>
    `{ post: { requestBody: { required: true, content: { ${type}: ${schema} } }, ${DONE} } }`
  const { contract } = await load(
    `${head()}paths: { /any: ${body("''")}, /forms: ${body('application/form-data')} }`,
  )
  const { fetch } = createSandbox({ contract })
  const post = async (path: string, init: RequestInit): Promise<number> =>
    (await fetch(new Request(`http://localhost${path}`, { method: 'POST', ...init }))).status
  const form = new FormData()
  form.set('a', 'text')
  const headers = { 'Content-Type': 'application/json' }

  expect(await post('/any', {})).toBe(204)
  expect(await post('/any', { body: '{"a":"text"}', headers })).toBe(204)
  expect(await post('/any', { body: '{"a":1}', headers })).toBe(400)
  expect(await post('/forms', { body: form })).toBe(204)
  expect(await post('/forms', { body: new URLSearchParams({ a: 'text' }) })).toBe(204)
  expect(await post('/forms', { body: new URLSearchParams({ b: 'text' }) })).toBe(400)
  expect(await post('/forms', {})).toBe(400)
})
