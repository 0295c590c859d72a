import { describe, expect, it } from 'vitest'
import { createSchemaCompiler } from '../document/schemas/schema-compiler.ts'
import {
  bodyOf,
  mediaTypeOf,
  operationOf,
  readRequest,
  type SentRequest,
} from '../testing/read-request.ts'
import { validBody } from './body.ts'
import type { MediaType, Operation, Schema, SchemaValidator } from './contract.ts'
import type { ReadOptions } from './input.ts'

const FORM = 'application/x-www-form-urlencoded'
const PET: Schema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string' },
    age: { type: 'integer' },
    isTame: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    owner: {
      type: 'object',
      properties: { id: { type: 'integer' }, names: { type: 'array', items: { type: 'string' } } },
    },
    photo: { type: 'string', format: 'binary' },
    weight: { type: ['number', 'null'] },
  },
}

interface Read {
  readonly value?: unknown
  readonly status?: number
  readonly message?: string
  readonly notes: readonly string[]
}

async function reading(
  content: readonly MediaType[],
  contentType: string | undefined,
  body: string | Uint8Array,
  { operation, options }: { operation?: Partial<Operation>; options?: ReadOptions } = {},
): Promise<Read> {
  const sent: SentRequest = {
    body,
    ...(contentType !== undefined && { headers: { 'content-type': contentType } }),
  }
  const { input, problem, notes } = await readRequest(
    operationOf({ body: bodyOf(...content), ...operation }),
    sent,
    { unknownProperties: 'keep', ...options },
  )
  return {
    value: input?.body,
    ...(problem && { status: problem.status, message: problem.message }),
    notes: notes.map(({ kind, place }) => `${kind} ${place}`),
  }
}

const multipart = (parts: readonly string[], end = '--b--\r\n'): string =>
  parts.map((part) => `--b\r\nContent-Disposition: form-data; ${part}\r\n`).join('') + end

describe('the content of a body', () => {
  const NAME: Schema = { type: 'object', required: ['name'] }
  const ID: Schema = { type: 'object', required: ['id'] }
  const documented = [
    mediaTypeOf('application/json', NAME),
    mediaTypeOf('application/vnd.exact+json', ID),
    mediaTypeOf('text/*', { type: 'string', maxLength: 3 }),
    mediaTypeOf('image/png', { type: 'string', format: 'binary', maxLength: 2 }),
  ]

  it.each<[contentType: string, body: string, message: string | undefined]>([
    ['application/json', '{}', 'body.name is required'],
    ['application/vnd.exact+json', '{}', 'body.id is required'],
    ['text/markdown', 'long', 'body must have at most 3 characters'],
    ['text/plain; charset=iso-8859-1', 'abc', undefined],
    ['image/png', 'abc', 'body must have at most 2 bytes'],
    ['Image/PNG', 'ab', undefined],
  ])('for %s is the documented one that fits best', async (contentType, body, message) => {
    expect((await reading(documented, contentType, body)).message).toBe(message)
  })

  it.each([
    ['application/xml', '<a/>'],
    ['application/vnd.other+json', '{"name":"x"}'],
    ['image/jpeg', 'x'],
    ['', '{}'],
    ['application/json; charset=latin1', '{"name":"x"}'],
    ['text/plain; charset=unknown', 'a'],
    [undefined, '{}'],
  ])('of another type, as %s, causes a 415', async (contentType, body) => {
    expect(await reading(documented, contentType, body)).toMatchObject({ status: 415 })
  })

  it.each([
    ['application/octet-stream', NAME, 'body.name is required'],
    ['text/plain', NAME, 'body.name is required'],
    ['application/octet-stream', { type: 'string', format: 'binary' }, 'must be application/octet'],
    ['image/png', NAME, 'must be image/png'],
  ] as const)(
    'as %s may be JSON when it is described as an object',
    async (type, schema, message) => {
      const read = await reading([mediaTypeOf(type, schema)], 'application/json', '{}')

      expect(read.message).toContain(message)
    },
  )

  it('of an optional body may have any type when it is empty', async () => {
    const body = { ...bodyOf(...documented), required: false }

    const read = await reading(documented, 'application/xml', '', { operation: { body } })

    expect(read).toEqual({ value: undefined, notes: [] })
  })

  it.each(['GET', 'DELETE'])('of %s is never required', async (method) => {
    const read = await reading(documented, undefined, '', { operation: { method } })

    expect(read).toEqual({ value: undefined, notes: [] })
  })

  it('above the limit causes a 413', async () => {
    const read = await reading(documented, 'text/plain', 'abcd', { options: { bodyLimit: 3 } })

    expect(read).toMatchObject({ status: 413 })
  })
})

describe('a form', () => {
  it.each<[name: string, body: string, value: unknown]>([
    [
      'texts by their types',
      'name=Rex+%26+Co&age=3&isTame=true',
      { name: 'Rex & Co', age: 3, isTame: true },
    ],
    ['a repeated name', 'name=a&tags=x&tags=y', { name: 'a', tags: ['x', 'y'] }],
    ['a list of one', 'name=a&tags=x', { name: 'a', tags: ['x'] }],
    ['empty brackets', 'name=a&tags[]=x&tags%5B%5D=y', { name: 'a', tags: ['x', 'y'] }],
    ['indexes', 'name=a&tags[0]=x&tags[1]=y', { name: 'a', tags: ['x', 'y'] }],
    [
      'brackets with names',
      'name=a&owner[id]=7&owner[names][]=x',
      { name: 'a', owner: { id: 7, names: ['x'] } },
    ],
    [
      'JSON',
      'name=a&owner=%7B%22id%22:7%7D&tags=["x"]',
      { name: 'a', owner: { id: 7 }, tags: ['x'] },
    ],
    ['null', 'name=a&weight=', { name: 'a', weight: null }],
    ['names that the schema does not know', 'name=a&more[x]=1', { name: 'a', more: { x: '1' } }],
  ])('may have %s', async (_name, body, value) => {
    expect(await reading([mediaTypeOf(FORM, PET)], FORM, body)).toEqual({ value, notes: [] })
  })

  it('has the styles of its encoding', async () => {
    const content = mediaTypeOf(FORM, PET, {
      encoding: {
        tags: { style: 'pipeDelimited', explode: false },
        owner: { style: 'deepObject', explode: true },
      },
    })

    const { value } = await reading([content], FORM, 'name=a&tags=x|y&owner[id]=1')

    expect(value).toEqual({ name: 'a', tags: ['x', 'y'], owner: { id: 1 } })
  })

  it.each<[body: string | Uint8Array, message: string]>([
    ['age=x', 'body.name is required; body.age must be integer'],
    ['name=a&owner[id]=x', 'body.owner.id must be integer'],
    [new Uint8Array([0xff, 0x3d]), 'body must be valid UTF-8'],
    ['a&'.repeat(10_001), 'body must have at most 10000 fields'],
  ])('that is not valid is refused (%#)', async (body, message) => {
    expect(await reading([mediaTypeOf(FORM, PET)], FORM, body)).toMatchObject({
      status: 400,
      message,
    })
  })

  it('never changes what all objects inherit', async () => {
    const { value } = await reading([mediaTypeOf(FORM)], FORM, '__proto__[a]=1&constructor[b]=2')

    expect(JSON.stringify(value)).toBe('{"__proto__":{"a":"1"},"constructor":{"b":"2"}}')
    expect(Object.prototype).not.toHaveProperty('a')
  })
})

describe('a multipart form', () => {
  const type = 'multipart/form-data; boundary=b'
  const content = [mediaTypeOf('multipart/form-data', PET)]

  it('has texts, JSON and files by their names', async () => {
    const body = multipart([
      'name="name"\r\n\r\nRex',
      'name="age"\r\n\r\n3',
      'name="owner"\r\nContent-Type: application/json\r\n\r\n{"id":7}',
      'name="tags"\r\n\r\nx',
      'name="tags"\r\n\r\ny',
      'name="photo"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n\u0001PNG',
    ])

    expect(await reading(content, type, body)).toEqual({
      value: { name: 'Rex', age: 3, owner: { id: 7 }, tags: ['x', 'y'], photo: '\u0001PNG' },
      notes: [],
    })
  })

  it('without parts is an empty object, whatever its schema says', async () => {
    const needsFile = [mediaTypeOf('multipart/form-data', { required: ['file'] })]

    expect(await reading(content, type, multipart([]))).toMatchObject({ status: 400 })
    expect(await reading(needsFile, type, multipart([]))).toMatchObject({
      status: 400,
      message: expect.stringContaining('body.file is required'),
    })
  })

  it('has files that are no text', async () => {
    const file = new Uint8Array([0xff, 0xd8, 0x00])
    const [start, end] = multipart([
      'name="name"\r\n\r\na',
      'name="photo"; filename="a"\r\n\r\n|',
    ]).split('|')
    const bytes = new Uint8Array([
      ...new TextEncoder().encode(start),
      ...file,
      ...new TextEncoder().encode(end),
    ])

    expect(await reading(content, type, bytes)).toMatchObject({
      value: { name: 'a', photo: '\u00ff\u00d8\u0000' },
    })
  })

  it.each([
    ['multipart/form-data', multipart(['name="name"\r\n\r\na']), 'boundary'],
    [type, multipart(['name="name"\r\n\r\na'], ''), 'multipart/form-data'],
    [type, 'name=a', 'multipart/form-data'],
    [type, '', 'is required'],
    [type, multipart(['filename="a"\r\n\r\na']), 'has a part without a name'],
    [
      type,
      multipart(Array.from({ length: 1001 }, () => 'name="tags"\r\n\r\na')),
      'at most 1000 parts',
    ],
    [type, multipart(['name="age"\r\n\r\nx', 'name="name"\r\n\r\nx']), 'body.age must be integer'],
  ])('of the type %s that is not valid is refused (%#)', async (contentType, body, message) => {
    const read = await reading(content, contentType, body)

    expect(read).toMatchObject({ status: 400, message: expect.stringContaining(message) })
  })
})

describe('XML', () => {
  const schema: Schema = {
    type: 'object',
    xml: { name: 'pet' },
    required: ['name'],
    properties: {
      id: { type: 'integer', xml: { attribute: true } },
      name: { type: 'string', xml: { name: 'fullName', prefix: 'p' } },
      tags: {
        type: 'array',
        xml: { wrapped: true },
        items: { type: 'string', xml: { name: 'tag' } },
      },
      codes: { type: 'array', items: { type: 'integer', xml: { name: 'code' } } },
      owner: { type: 'object', properties: { isOld: { type: 'boolean' } } },
      note: { type: ['string', 'null'] },
    },
  }
  const content = [mediaTypeOf('application/xml', schema)]

  it('becomes a value by the xml objects of the schema', async () => {
    const text =
      '<?xml version="1.0"?><pet id="7" xmlns:p="urn:p"><p:fullName>A &amp; B</p:fullName>' +
      '<tags><tag>x</tag><tag>y</tag></tags><code>1</code><code> 2 </code>' +
      '<owner><isOld>true</isOld></owner><more a="1"><b>2</b></more></pet>'

    expect(await reading(content, 'application/xml', text)).toEqual({
      value: {
        id: 7,
        name: 'A & B',
        tags: ['x', 'y'],
        codes: [1, 2],
        owner: { isOld: true },
        more: { b: '2' },
      },
      notes: [],
    })
  })

  it.each([
    ['<pet><a></pet>', /must be valid XML: .*\(line 1, column \d+\)/],
    ['x', /must be valid XML/],
    [`${'<a>'.repeat(200)}${'</a>'.repeat(200)}`, /must be valid XML/],
    ['<pet/>', /body.name is required/],
    ['<pet id="x"><fullName>a</fullName></pet>', /body.id must be integer/],
  ])('that is not valid is refused (%#)', async (text, message) => {
    const read = await reading(content, 'application/xml', text)

    expect(read).toMatchObject({ status: 400, message: expect.stringMatching(message) })
  })
})

describe('a body', () => {
  const items: Schema = { type: 'object', required: ['a'], properties: { a: { type: 'integer' } } }

  it.each<[contentType: string, content: MediaType, body: string, value: unknown]>([
    ['text/plain', mediaTypeOf('text/plain', { type: 'integer' }), '7', 7],
    ['text/plain', mediaTypeOf('text/plain'), 'a', 'a'],
    [
      'text/csv',
      mediaTypeOf('text/csv', { type: 'array', items }),
      'a,b\r\n1,"x, ""y"""\n2,\n',
      [
        { a: 1, b: 'x, "y"' },
        { a: 2, b: '' },
      ],
    ],
    [
      'application/x-ndjson',
      mediaTypeOf('application/x-ndjson', items, { isSequence: true }),
      '{"a":1}\n\n{"a":2}\n',
      [{ a: 1 }, { a: 2 }],
    ],
    [
      'application/json-patch+json',
      mediaTypeOf('application/json-patch+json', { type: 'object' }),
      '[{"op":"remove","path":"/a"}]',
      [{ op: 'remove', path: '/a' }],
    ],
    [
      'application/jsonl',
      mediaTypeOf('application/jsonl', { type: 'array', items }),
      '{"a":1}',
      [{ a: 1 }],
    ],
    [
      'application/json-seq',
      mediaTypeOf('application/json-seq', items, { isSequence: true }),
      '\u001e{"a":\n1}\n\u001e{"a":2}\n',
      [{ a: 1 }, { a: 2 }],
    ],
    [
      'application/octet-stream',
      mediaTypeOf('application/octet-stream', { type: 'string', format: 'binary' }),
      'abc',
      'abc',
    ],
    ['application/yaml', mediaTypeOf('application/yaml', items), 'a: 1', 'a: 1'],
    [FORM, mediaTypeOf(FORM, { type: 'string' }), 'a=1', 'a=1'],
    ['application/json', mediaTypeOf('application/json'), '{"a":[1]}', { a: [1] }],
    [
      'application/json',
      mediaTypeOf('application/json', {
        properties: {
          a: { oneOf: [{ type: 'object', properties: { b: {} } }, { type: 'object' }] },
        },
      }),
      '{"a":{"b":1}}',
      { a: { b: 1 } },
    ],
  ])('of the type %s is read (%#)', async (contentType, content, body, value) => {
    expect(await reading([content], contentType, body)).toEqual({ value, notes: [] })
  })

  it.each<[contentType: string, content: MediaType, body: string | Uint8Array, message: string]>([
    ['text/plain', mediaTypeOf('text/plain', { type: 'integer' }), 'x', 'body must be integer'],
    ['text/plain', mediaTypeOf('text/plain'), new Uint8Array([0xff]), 'body must be valid UTF-8'],
    [
      'text/csv',
      mediaTypeOf('text/csv', { type: 'array', items }),
      'a\n1\nx',
      'body[1].a must be integer',
    ],
    [
      'text/csv',
      mediaTypeOf('text/csv', { type: 'array', items }),
      'a\n"1',
      'body must be valid CSV: line 2 has an unexpected quote',
    ],
    [
      'application/x-ndjson',
      mediaTypeOf('application/x-ndjson', items, { isSequence: true }),
      '{"a":1}\n{}',
      'body[1].a is required',
    ],
    [
      'application/x-ndjson',
      mediaTypeOf('application/x-ndjson'),
      '{}\n{',
      'body[1] must be valid JSON',
    ],
    ['application/json', mediaTypeOf('application/json'), '{', 'body must be valid JSON'],
  ])(
    'of the type %s that is not valid is refused (%#)',
    async (contentType, content, body, message) => {
      const read = await reading([content], contentType, body)

      expect(read).toMatchObject({ status: 400, message: expect.stringContaining(message) })
    },
  )

  it('has no default that its own schema does not allow', async () => {
    const schema: Schema = {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string' },
        size: { type: 'string', default: 'small' },
        age: { type: 'integer', default: 'none' },
      },
    }
    const content = [mediaTypeOf('application/json', schema)]

    const valid = await reading(content, 'application/json', '{"name":"a"}')
    const invalid = await reading(content, 'application/json', '{}')

    expect(valid).toEqual({ value: { name: 'a', size: 'small' }, notes: [] })
    expect(invalid.message).toBe('body.name is required')
  })

  it('keeps known properties below a schema that contains itself', async () => {
    const tree: { [keyword: string]: unknown } = { type: 'object' }
    tree.properties = {
      name: { type: 'string' },
      inner: tree,
      list: { type: 'array', items: tree },
    }
    const schema: Schema = tree
    const body = '{"name":"a","inner":{"inner":{"name":"b","x":1},"list":[{"name":"c"}]}}'

    const { value, notes } = await reading(
      [{ mediaType: 'application/json', schema, validate: () => true }],
      'application/json',
      body,
      {
        options: { unknownProperties: 'drop' },
      },
    )

    expect(value).toEqual({ name: 'a', inner: { inner: { name: 'b' }, list: [{ name: 'c' }] } })
    expect(notes).toEqual(['dropped-property body.inner.inner.x'])
  })
})

describe('a request that is not valid', () => {
  const content = [mediaTypeOf('application/json', PET)]

  it('is served with notes where the validation only warns', async () => {
    const read = await reading(content, 'application/json', '{"age":"x"}', {
      options: { validation: 'warn' },
    })

    expect(read).toEqual({
      value: { age: 'x' },
      notes: ['invalid-input body.name', 'invalid-input body.age'],
    })
  })

  it.each([
    ['application/json', '{', 'invalid-input body'],
    ['text/plain', 'a', 'invalid-input header.Content-Type'],
    [undefined, 'a', 'invalid-input header.Content-Type'],
    ['application/json', '', 'invalid-input body'],
  ])(
    'in a form that cannot be read is served with a note (%#)',
    async (contentType, body, note) => {
      const read = await reading(content, contentType, body, { options: { validation: 'warn' } })

      expect(read.notes).toEqual([note])
    },
  )

  it('is served without notes where the validation is off', async () => {
    const read = await reading(content, 'application/json', '{"age":"x"}', {
      options: { validation: 'off' },
    })

    expect(read).toEqual({ value: { age: 'x' }, notes: [] })
  })

  it('is refused all the same when its body is too long', async () => {
    const options = { validation: 'off', bodyLimit: 3 } as const

    expect(await reading(content, 'application/json', '{"age":"x"}', { options })).toMatchObject({
      status: 413,
    })
  })
})

it('validates a body once when the validation reaches its time limit', () => {
  const schema = { type: 'object', properties: { name: { type: 'string', pattern: '^(a+)+$' } } }
  const compiled = createSchemaCompiler(20)(schema)
  let count = 0
  const validate: SchemaValidator = (value) => {
    count += 1
    const isValid = compiled(value)
    validate.errors = compiled.errors ?? null
    return isValid
  }
  const values = [{ name: `${'a'.repeat(40)}!` }]

  const { errors } = validBody(
    { values },
    { mediaType: 'application/json', schema, validate },
    { useDefaults: true },
  )

  expect(errors.map(({ keyword }) => keyword)).toEqual(['time'])
  expect(count).toBe(1)
})
