// Reads a document without any code of the sandbox.
import { readFile } from 'node:fs/promises'
import SwaggerParser from '@apidevtools/swagger-parser'
import { JSON_SCHEMA, load } from 'js-yaml'
import { operationsOf } from './operations.mjs'
import { swaggerOperationsOf } from './swagger-operations.mjs'

const OTHER_FILE = /"\$ref":\s*"[^#"]/

/**
 * The root of a document, and its servers and operations in one form for all versions of OpenAPI. Throws when the file cannot be parsed.
 */
export async function readDocument(file) {
  const text = await readFile(file, 'utf8')
  const root = /^\s*\{/.test(text) ? JSON.parse(text) : load(text, { schema: JSON_SCHEMA })
  const document = OTHER_FILE.test(JSON.stringify(root)) ? await bundled(file, root) : root
  const operations = document.swagger ? swaggerOperationsOf(document) : operationsOf(document)
  const servers = document.swagger ? [{ url: document.basePath ?? '' }] : (document.servers ?? [])

  return { root: document, servers, operations }
}

/** One document of several files. A reference that cannot be followed stays, and allows anything. */
async function bundled(file, root) {
  const options = { resolve: { http: false }, continueOnError: false }
  return await SwaggerParser.bundle(file, options).catch(() => root)
}
