import type { MediaType, Operation, Parameter, RequestBody, Schema } from '../contract/contract.ts'
import type { Reading, ReadOptions } from '../contract/input.ts'
import { read } from '../contract/read.ts'
import { createSchemaCompiler } from '../document/schemas/schema-compiler.ts'
import type { CoreRequest } from '../http/message.ts'

/** What a test sends. */
export interface SentRequest {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: string
  /** Names are in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

const compile = createSchemaCompiler()

export function parameterOf(
  place: Parameter['in'],
  name: string,
  schema: Schema,
  more: Partial<Parameter> = {},
): Parameter {
  return { name, in: place, required: false, schema, validate: compile(schema), ...more }
}

export function mediaTypeOf(
  mediaType: string,
  schema?: Schema,
  more: Partial<MediaType> = {},
): MediaType {
  return { mediaType, ...(schema && { schema, validate: compile(schema) }), ...more }
}

/** A body that accepts these media types. */
export function bodyOf(...content: readonly MediaType[]): RequestBody {
  const schema = content[0]?.schema ?? {}
  return {
    required: true,
    mediaTypes: content.map(({ mediaType }) => mediaType),
    schema,
    validate: compile(schema),
    content,
  }
}

export function operationOf(more: Partial<Operation>): Operation {
  return {
    id: 'any',
    method: 'POST',
    path: '/pets',
    secured: true,
    parameters: [],
    responses: [],
    ...more,
  }
}

/** What is read of a request. */
export async function readRequest(
  operation: Operation,
  sent: SentRequest,
  options?: ReadOptions,
): Promise<Reading> {
  const bytes = typeof sent.body === 'string' ? new TextEncoder().encode(sent.body) : sent.body
  const request: CoreRequest = {
    method: operation.method,
    base: 'http://localhost/v1',
    path: '/pets/1',
    query: sent.query ?? '',
    header: (name) => sent.headers?.[name],
    headers: () => Object.entries(sent.headers ?? {}).flat(),
    body: async (limit) => {
      if (!bytes) return new Uint8Array()
      return bytes.length > limit ? undefined : bytes
    },
  }
  return await read({ operation, pathParameters: sent.path ?? {} }, request, options)
}
