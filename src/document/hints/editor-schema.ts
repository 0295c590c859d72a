import type { HintSchema } from './hint-schema.ts'
import { OPERATION_VOCABULARY } from './operation-vocabulary.ts'
import { PATH_VOCABULARY, SERVICE_VOCABULARY } from './vocabulary.ts'

type JsonSchema = Readonly<Record<string, unknown>>

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']

/**
 * The JSON Schema of `x-sandbox` in documents and overlays, for editors. It says nothing about the rest of the file. Draft 7,
 * because editors know that best.
 */
export function editorSchema(): JsonSchema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'x-sandbox: hints of an OpenAPI document or overlay for pet-sandbox',
    definitions: {
      service: vocabulary(SERVICE_VOCABULARY),
      path: vocabulary(PATH_VOCABULARY),
      operation: vocabulary(OPERATION_VOCABULARY),
      schema: vocabulary({
        default: { description: 'The value that the service sets; clients need not know it.' },
      }),
      response: vocabulary({
        forced: {
          type: 'boolean',
          description: 'Whether the response is sent only when a developer forces it.',
        },
      }),
      document: DOCUMENT,
      pathItem: PATH_ITEM,
      operationObject: OPERATION_OBJECT,
      responseObject: { properties: { 'x-sandbox': ref('response') } },
      schemaObject: SCHEMA_OBJECT,
      action: ACTION,
    },
    allOf: [ref('document')],
    properties: { actions: { items: ref('action') } },
  }
}

function ref(name: string): JsonSchema {
  return { $ref: `#/definitions/${name}` }
}

/** An `x-sandbox` with fields of a vocabulary, and no others. */
function vocabulary(properties: Readonly<Record<string, HintSchema>>): JsonSchema {
  return closed({ type: 'object', properties })
}

/** The schema with `additionalProperties: false` wherever it names properties. */
function closed(schema: HintSchema): JsonSchema {
  const { properties, items, additionalProperties, anyOf, ...rest } = schema
  const named = Object.entries(properties ?? {}).map(([name, one]) => [name, closed(one)])

  return {
    ...rest,
    ...(properties && { properties: Object.fromEntries(named), additionalProperties: false }),
    ...(additionalProperties && { additionalProperties: closed(additionalProperties) }),
    ...(items && { items: closed(items) }),
    ...(anyOf && { anyOf: anyOf.map(closed) }),
  }
}

const DOCUMENT: JsonSchema = {
  properties: {
    'x-sandbox': ref('service'),
    paths: { additionalProperties: ref('pathItem') },
    components: {
      properties: {
        schemas: { additionalProperties: ref('schemaObject') },
        responses: { additionalProperties: ref('responseObject') },
      },
    },
  },
}

const PATH_ITEM: JsonSchema = {
  properties: {
    'x-sandbox': ref('path'),
    ...Object.fromEntries(METHODS.map((method) => [method, ref('operationObject')])),
    additionalOperations: { additionalProperties: ref('operationObject') },
  },
}

const OPERATION_OBJECT: JsonSchema = {
  properties: {
    'x-sandbox': ref('operation'),
    responses: { additionalProperties: ref('responseObject') },
  },
}

const SCHEMA_OBJECT: JsonSchema = {
  properties: {
    'x-sandbox': ref('schema'),
    properties: { additionalProperties: ref('schemaObject') },
  },
}

/** What the update of an overlay's action is depends on its target. */
const ACTION: JsonSchema = {
  allOf: [
    updateOf('^\\$$', 'document'),
    updateOf('^\\$\\.paths(\\.\\*|\\[[^\\]]*\\])$', 'pathItem'),
    updateOf(`(\\.|\\[['"])(${METHODS.join('|')})(['"]\\])?$`, 'operationObject'),
    updateOf('^\\$\\.components\\.schemas(\\.[^.]+|\\[[^\\]]*\\])$', 'schemaObject'),
  ],
}

function updateOf(target: string, definition: string): JsonSchema {
  return {
    if: { properties: { target: { pattern: target } } },
    // biome-ignore lint/suspicious/noThenProperty: It is a keyword of JSON Schema.
    then: { properties: { update: ref(definition) } },
  }
}
