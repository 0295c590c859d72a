/** A text that would run code, or load a picture, where it is taken for HTML. */
export const HOSTILE = '<img src=x onerror="globalThis.wasRun = true">'

/** How many alternatives a schema of the document has. */
export const ALTERNATIVES = 300

const DESCRIPTION = `# Sends *tickets*

${HOSTILE}

- [good](https://example.com/a), [bad](javascript:globalThis.wasRun=true), [odd](data:text/html,x), <https://example.com/b>
- ![picture](https://example.com/picture.png) and \`code\`

<script>globalThis.wasRun = true</script>

\`\`\`js
1 < 2
\`\`\`
`

const PET = {
  Cat: {
    type: 'object',
    description: `Says **meow**. ${HOSTILE}`,
    required: ['kind', 'lives'],
    properties: { kind: { const: 'cat' }, lives: { type: 'integer', minimum: 1, maximum: 9 } },
  },
  Dog: {
    type: 'object',
    required: ['kind'],
    properties: {
      kind: { const: 'dog' },
      born: { type: 'string', format: 'date' },
      tags: { type: 'array', items: { type: 'string' } },
      sizes: { type: 'array', items: { type: 'string', enum: ['small', 'large', HOSTILE] } },
    },
  },
}

const ORDER = {
  type: 'object',
  xml: { name: 'order' },
  required: ['id', 'at', 'lines'],
  properties: {
    id: { type: 'integer', xml: { attribute: true }, example: 7 },
    at: { type: 'string', format: 'date-time', example: '2026-05-04T12:00:00+02:00' },
    lines: {
      type: 'array',
      minItems: 1,
      xml: { wrapped: true },
      items: { type: 'string', xml: { name: 'line' }, example: 'a & b' },
    },
  },
}

const SCHEMAS = {
  ...PET,
  Order: ORDER,
  Pet: { oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }] },
  Tree: {
    type: 'object',
    properties: { name: { type: 'string' }, below: { $ref: '#/components/schemas/Tree' } },
  },
  Many: {
    anyOf: Array.from({ length: ALTERNATIVES }, (_, at) => ({
      title: `Alternative ${at + 1}`,
      type: 'object',
      properties: { [`p${at}`]: { type: 'string' } },
    })),
  },
}

const done = { '200': { description: 'Done', content: { 'text/plain': { example: 'ok' } } } }

function inJson(name: keyof typeof SCHEMAS): object {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } }
}

/** A document with what inputs can be, and with hostile texts. */
export const OPERATION_DOCUMENT: object = {
  openapi: '3.1.0',
  info: { title: 'Tickets', version: '1' },
  paths: {
    '/tickets/{id}': {
      get: {
        operationId: 'findTickets',
        tags: ['Search'],
        summary: `Finds ${HOSTILE}`,
        description: DESCRIPTION,
        parameters: [
          {
            name: 'id',
            in: 'path',
            required: true,
            schema: { type: 'string', minLength: 1 },
            example: 't1',
          },
          {
            name: 'status',
            in: 'query',
            description: `Which *ones* ${HOSTILE}`,
            schema: {
              type: 'array',
              maxItems: 2,
              items: { type: 'string', enum: ['open', 'closed', 'lost'] },
            },
          },
          { name: 'sort', in: 'query', schema: { type: 'string', enum: ['up', 'down'] } },
          {
            name: 'limit',
            in: 'query',
            schema: { type: 'integer', minimum: 1, maximum: 10, default: 5 },
          },
        ],
        responses: {
          ...done,
          '400': { description: 'Wrong' },
          '404': { description: `Not \`there\` ${HOSTILE}` },
        },
      },
    },
    '/pets': {
      post: {
        operationId: 'addPet',
        tags: ['Pets'],
        requestBody: {
          required: true,
          content: {
            ...inJson('Pet'),
            'application/x-www-form-urlencoded': { schema: { $ref: '#/components/schemas/Pet' } },
          },
        },
        responses: { ...done, '400': { description: 'Wrong' } },
      },
    },
    '/orders': {
      post: {
        operationId: 'addOrder',
        tags: ['Orders'],
        requestBody: {
          required: true,
          content: {
            ...inJson('Order'),
            'application/xml': { schema: { $ref: '#/components/schemas/Order' } },
          },
        },
        responses: { ...done, '400': { description: 'Wrong' } },
      },
    },
    '/uploads': {
      post: {
        operationId: 'upload',
        tags: ['Pets'],
        requestBody: {
          required: true,
          content: {
            'multipart/form-data': {
              schema: {
                type: 'object',
                required: ['photo', 'note'],
                properties: {
                  note: { type: 'string' },
                  photo: { type: 'string', format: 'binary' },
                },
              },
            },
          },
        },
        responses: done,
      },
      put: {
        operationId: 'replace',
        tags: ['Pets'],
        requestBody: { required: true, content: { 'image/png': {} } },
        responses: done,
      },
    },
    '/trees': {
      get: {
        operationId: 'listTrees',
        tags: ['Shapes'],
        responses: { '200': { description: 'All', content: inJson('Tree') } },
      },
      post: {
        operationId: 'addMany',
        tags: ['Shapes'],
        requestBody: { content: inJson('Many') },
        responses: { '200': { description: 'All', content: inJson('Many') } },
      },
    },
  },
  components: { schemas: SCHEMAS },
}
