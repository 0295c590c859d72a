import Parser from '@apidevtools/swagger-parser'
import type { ErrorObject } from 'ajv'
import type { OpenAPI } from 'openapi-types'
import type { Document } from './document.ts'
import { explain } from './explain.ts'
import { Mistakes, refuse } from './mistake.ts'
import { uncircled } from './uncircled.ts'
import { overweight } from './weigh.ts'

/** Checks a document against OpenAPI's own schema, all `$ref`s followed. */
export async function validate(document: Document): Promise<void> {
  // The parser replaces each $ref in what it is given, so it gets a copy. It reads nothing: all
  // files are in the copy.
  const copy = uncircled(document)
  refuse(overweight(copy, document.sources))
  const options = { resolve: { external: false } }

  try {
    await Parser.validate(copy as unknown as OpenAPI.Document, options)
  } catch (error) {
    const { details, message } = error as { details?: ErrorObject[]; message: string }
    if (details) return refuse(explain(details.filter(isTrue), document))
    const [why = 'it is not valid'] = message.split('\n')
    const place = document.sources[0]?.name ?? ''
    throw new Mistakes([{ why, place, advice: 'Correct the document.' }], { cause: error })
  }
}

/**
 * The parser's edition of the 3.1 schema misspells the `description` of a server variable, and so
 * refuses it (OAI/OpenAPI-Specification#2793).
 */
function isTrue({ instancePath, params }: ErrorObject): boolean {
  const isVariable = /^\/(.*\/)?servers\/\d+\/variables\/[^/]+$/.test(instancePath)

  return !(isVariable && params.unevaluatedProperty === 'description')
}
