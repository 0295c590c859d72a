import type { Contract, Operation, Parameter, RequestBody } from '../contract/contract.ts'
import { basePathsOf } from './base-paths.ts'
import {
  type CompileContext,
  compileResponses,
  exampleOf,
  responseHeadersOf,
} from './compile-responses.ts'
import { deprecationOf } from './deprecation.ts'
import { type Document, followRefs, resolveRef } from './document.ts'
import { asObject, asString, type JsonObject } from './json-value.ts'
import { withLazy } from './lazy-property.ts'
import { jsonContent, type OperationEntry, operationIdsOf, operationsOf } from './operations.ts'
import { parsePathKey } from './path-key.ts'
import { createSchemaCompiler } from './schema-compiler.ts'
import { createSchemaGraph } from './schema-graph.ts'
import type { SchemaMistake } from './schema-mistake.ts'
import { type DocumentSecurity, readSecurity } from './security.ts'
import { readServiceHints } from './service-hints.ts'

/**
 * Compiles a document into a contract. Only what routes need is read at once. The parameters, bodies and responses of an operation
 * are compiled when they are first read, and their schemas are shared between operations.
 */
export function compileContract(
  document: Document,
  report: (mistake: SchemaMistake) => void = () => undefined,
  onRecordsMissing?: Contract['onRecordsMissing'],
): Contract {
  const graph = createSchemaGraph(document, report)
  const context: CompileContext = {
    document,
    schemaOf: graph.schemaOf,
    compileSchema: createSchemaCompiler(undefined, graph.isShared),
  }
  const { info, servers } = document.root
  const { title, version } = asObject(info)
  const entries = operationsOf(document)
  const ids = operationIdsOf(entries)
  const resolve = (value: unknown): unknown => followRefs(document, { value, pointer: [] })?.value
  const security = readSecurity(document.root, resolve)
  const service = readServiceHints(document.root)
  const basePaths = basePathsOf(servers)
  const contract = {
    title: String(title ?? 'API'),
    version: String(version ?? ''),
    basePath: basePaths[0],
    ...(basePaths.length > 1 && { basePaths }),
    operations: entries.map((entry, index) =>
      compileOperation(entry, ids[index] ?? '', context, security),
    ),
    securitySchemes: security.schemes,
    ...(onRecordsMissing && { onRecordsMissing }),
    ...(service && { sandbox: service.hints }),
  }

  return withLazy(contract, { responseHeaders: () => responseHeadersOf(entries, document) })
}

function compileOperation(
  entry: OperationEntry,
  id: string,
  context: CompileContext,
  { requirementOf }: DocumentSecurity,
): Operation {
  const { method, template, operation, parameters, pointer, servers } = entry
  const { mistakes: _, ...requirement } = requirementOf(operation, pointer)
  const key = parsePathKey(template)
  const summary = asString(operation.summary)
  const deprecation = deprecationOf(operation)
  const eager = {
    id,
    method,
    path: key.template,
    ...(key.conditions.length > 0 && { conditions: key.conditions }),
    ...(summary !== undefined && { summary }),
    ...requirement,
    ...(servers !== undefined && { basePaths: basePathsOf(servers) }),
  }
  const lazy = withLazy<typeof eager, Pick<Operation, 'parameters' | 'responses'>>(eager, {
    parameters: () => parameters.flatMap(({ parameter }) => compileParameter(parameter, context)),
    ...(operation.requestBody !== undefined && {
      body: () => compileBody(operation.requestBody, context),
    }),
    responses: () => compileResponses(operation.responses, context),
  })

  return deprecation ? Object.assign(lazy, { deprecation }) : lazy
}

function compileParameter(
  parameter: JsonObject,
  { document, schemaOf, compileSchema }: CompileContext,
): Parameter[] {
  const location = parameter.in
  if (!isLocation(location)) return []
  const schema = schemaOf(parameter.schema ?? {}, 'request')
  const required = location === 'path' || parameter.required === true
  const name = String(parameter.name)

  const example = exampleOf(parameter, document)

  return [
    {
      name,
      in: location,
      required,
      schema,
      validate: compileSchema(schema),
      ...(example !== undefined && { example }),
    },
  ]
}

function isLocation(location: unknown): location is Parameter['in'] {
  return ['path', 'query', 'header', 'cookie'].some((known) => known === location)
}

function compileBody(
  value: unknown,
  { document, schemaOf, compileSchema }: CompileContext,
): RequestBody | undefined {
  const { content, required } = resolveRef(document, value)
  const json = jsonContent(resolveRef(document, content), document)
  if (!json) return undefined
  const { mediaTypes, media } = json
  const schema = schemaOf(media.schema ?? {}, 'request')

  const example = exampleOf(media, document)

  return {
    required: required === true,
    mediaTypes,
    schema,
    validate: compileSchema(schema),
    ...(example !== undefined && { example }),
  }
}
