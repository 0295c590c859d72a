import type { JsonObject } from '../../document/json-value.ts'

/** A document with these paths, whose operations need a key. */
export function documentOf(
  title: string,
  base: string,
  paths: object,
  key: object = { type: 'http', scheme: 'bearer' },
): JsonObject {
  return {
    openapi: '3.1.0',
    info: { title, version: '1' },
    servers: [{ url: new URL(base).pathname }],
    security: [{ key: [] }],
    components: { securitySchemes: { key } },
    paths,
  }
}

export const text = { type: 'string' } as const

export function json(schema: object, type = 'application/json'): object {
  return { content: { [type]: { schema } } }
}

export function body(schema: object, type?: string): object {
  return { requestBody: { required: true, ...json(schema, type) } }
}

export function objectOf(properties: object, required: readonly string[] = []): object {
  return { type: 'object', properties, required }
}

export function readOnly(schema: object, description = ''): object {
  return { ...schema, readOnly: true, description }
}

export function inQuery(name: string, schema: object = text, description = ''): object {
  return { name, in: 'query', schema, description }
}

/** The parameters of a path, each with the same schema. */
export function inPath(schema: object, ...names: readonly string[]): object {
  return { parameters: names.map((name) => ({ name, in: 'path', required: true, schema })) }
}

/** A response with a body. */
export function answer(schema: object, headers?: object): object {
  return { description: 'Done.', ...json(schema), ...(headers && { headers }) }
}

/** Responses whose bodies are objects. */
export function errors(...statuses: readonly number[]): object {
  return Object.fromEntries(statuses.map((one) => [one, answer({ type: 'object' })]))
}
