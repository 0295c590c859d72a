import type { Contract, Operation, Parameter, RequestBody } from '../contract/contract.ts'
import { basePathsOf } from './base-paths.ts'
import { type CompileContext, compileResponses, responseHeadersOf } from './compile-responses.ts'
import { deprecationOf } from './deprecation.ts'
import { type Document, followRefs, resolveRef } from './document.ts'
import { createSchemaExpander } from './expand-schema.ts'
import { asObject, asString, type JsonObject } from './json-value.ts'
import { jsonContent, type OperationEntry, operationIdOf, operationsOf } from './operations.ts'
import { parsePathKey } from './path-key.ts'
import { createSchemaCompiler } from './schema-compiler.ts'
import { type DocumentSecurity, readSecurity } from './security.ts'
import { readServiceHints } from './service-hints.ts'

/** Compiles a valid document into a contract. */
export function compileContract(document: Document): Contract {
  const context: CompileContext = {
    document,
    expand: createSchemaExpander(document),
    compileSchema: createSchemaCompiler(),
  }
  const { info, servers } = document.root
  const { title, version } = asObject(info)
  const entries = operationsOf(document)
  const resolve = (value: unknown): unknown => followRefs(document, { value, pointer: [] })?.value
  const security = readSecurity(document.root, resolve)
  const service = readServiceHints(document.root)
  const basePaths = basePathsOf(servers)

  return {
    title: String(title),
    version: String(version),
    basePath: basePaths[0],
    ...(basePaths.length > 1 && { basePaths }),
    operations: entries.map((entry) => compileOperation(entry, context, security)),
    responseHeaders: responseHeadersOf(entries, document),
    securitySchemes: security.schemes,
    ...(service && { sandbox: service.hints }),
  }
}

function compileOperation(
  entry: OperationEntry,
  context: CompileContext,
  { requirementOf }: DocumentSecurity,
): Operation {
  const { method, template, operation, parameters, pointer, servers } = entry
  const { mistakes: _, ...requirement } = requirementOf(operation, pointer)
  const key = parsePathKey(template)
  const summary = asString(operation.summary)
  const body = compileBody(operation.requestBody, context)
  const deprecation = deprecationOf(operation)

  return {
    id: operationIdOf(entry),
    method,
    path: key.template,
    ...(key.conditions.length > 0 && { conditions: key.conditions }),
    ...(summary !== undefined && { summary }),
    ...requirement,
    ...(servers !== undefined && { basePaths: basePathsOf(servers) }),
    parameters: parameters.flatMap(({ parameter }) => compileParameter(parameter, context)),
    ...(body && { body }),
    responses: compileResponses(operation.responses, context),
    ...(deprecation && { deprecation }),
  }
}

function compileParameter(
  parameter: JsonObject,
  { expand, compileSchema }: CompileContext,
): Parameter[] {
  const location = parameter.in
  if (location !== 'path' && location !== 'query') return []
  const schema = expand(parameter.schema ?? {}, 'request')
  const required = location === 'path' || parameter.required === true
  const name = String(parameter.name)

  return [{ name, in: location, required, schema, validate: compileSchema(schema) }]
}

function compileBody(
  value: unknown,
  { document, expand, compileSchema }: CompileContext,
): RequestBody | undefined {
  const { content, required } = resolveRef(document, value)
  const json = jsonContent(content)
  if (!json) return undefined
  const { mediaTypes, media } = json
  const schema = expand(media.schema ?? {}, 'request')

  return { required: required === true, mediaTypes, schema, validate: compileSchema(schema) }
}
