import { isObject } from '../../validation/objects.ts'
import { shortened } from '../../validation/usage-error.ts'
import { asObject, type JsonObject } from '../json-value.ts'
import { type Mistake, Mistakes } from '../mistake.ts'
import type { Source } from '../source.ts'

/** A document has at least one of these. */
const KEYS = ['openapi', 'swagger', 'swaggerVersion', 'paths', 'webhooks']

/** Finds mistakes in the version of a document, and its absence of paths. Throws `Mistakes` for a file that is no document. */
export function validateVersion(source: Source): Mistake[] {
  const root = source.value
  if (!isObject(root) || !KEYS.some((key) => key in root)) {
    const reason = 'the file is not an OpenAPI document'
    const help = 'An OpenAPI document starts with a line such as "openapi: 3.1.1".'
    throw new Mistakes([{ reason, location: source.locate([]), help }])
  }

  const mistakes = [...versionMistakes(root, source), ...apiVersionMistakes(root, source)]
  return mistakes.length > 0 ? mistakes : pathsMistakes(root, source)
}

function pathsMistakes({ paths }: JsonObject, source: Source): Mistake[] {
  const assumed = 'there are no operations'
  const help = 'Add at least one path under "paths".'
  if (paths === undefined) {
    const location = { source, pointer: [] }
    return [{ reason: 'the document has no paths', location, assumed, help }]
  }
  if (isObject(paths)) return []
  const location = { source, pointer: ['paths'] }
  return [{ reason: '"paths" must be an object', location, assumed, help }]
}

function versionMistakes(root: JsonObject, source: Source): Mistake[] {
  const { openapi } = root
  if (openapi === undefined) {
    const key = root.swagger === undefined ? 'swaggerVersion' : 'swagger'
    const version = root[key]
    if (version !== undefined) throw new Mistakes([oldVersion(String(version), key, source)])
    const help = 'Add a line such as "openapi: 3.1.1".'
    const location = { source, pointer: [] }
    return [{ reason: 'the document has no "openapi"', location, assumed: 'it is 3.1.1', help }]
  }
  const location = { source, pointer: ['openapi'] }
  if (typeof openapi !== 'string') {
    const help = `Write the full version in quotes, for example '3.1.1'.`
    const assumed = `it is "${String(openapi)}"`
    return [{ reason: '"openapi" must be a string', location, assumed, help }]
  }
  if (/^3\.(0\.[0-4]|1\.[0-2]|2\.0)$/.test(openapi)) return []
  const isShort = /^3\.[01]$/.test(openapi)
  const help = isShort ? `Write the full version, for example ${openapi}.1.` : 'Use 3.1.1 or 3.0.4.'

  const reason = `OpenAPI ${shortened(openapi)} is not supported`
  return [{ reason, location, assumed: 'it is read like 3.1.1', help }]
}

function oldVersion(version: string, key: string, source: Source): Mistake {
  const help =
    'Convert the document to Swagger 2.0 or OpenAPI 3.1, for example with api-spec-converter.'
  const reason = `Swagger ${shortened(version)} is not supported`
  return { reason, location: { source, pointer: [key] }, help }
}

/** YAML reads `version: 1.0` as a number. */
function apiVersionMistakes(root: JsonObject, source: Source): Mistake[] {
  const { version } = asObject(root.info)
  if (typeof version !== 'number') return []
  const location = { source, pointer: ['info', 'version'] }
  const help = `Put it in quotes, for example '1.0.0'.`

  const reason = '"version" must be a string, not a number'
  return [{ reason, location, assumed: `it is "${version}"`, help }]
}
