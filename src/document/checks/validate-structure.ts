import Parser from '@apidevtools/swagger-parser'
import type { ErrorObject } from 'ajv'
import type { OpenAPI } from 'openapi-types'
import { isObject } from '../../validation/objects.ts'
import type { Document } from '../document.ts'
import type { JsonObject } from '../json-value.ts'
import type { Mistake } from '../mistake.ts'
import { inlineFiles } from '../references/inline-files.ts'
import { CheckMeter, unchecked } from './check-budget.ts'
import { isJustified } from './justified-errors.ts'
import { toMistakes } from './schema-errors.ts'
import { partsOf } from './structure-parts.ts'

/** The limits of a check: how long it may take, in milliseconds, and how many mistakes it may find. */
const TIME_LIMIT = 2500
const MAX_MISTAKES = 2000

/**
 * The number of values that are checked together. Ajv copies all its errors when it leaves an object, so the time may grow with
 * the square of this number. Parts without mistakes are followed by larger ones, because the parser compiles its schema for each.
 */
const FIRST_SIZE = 50_000

/** The parser looks for `$ref`s nowhere: what they point to is checked in its own place. */
const OPTIONS: Parser.Options = {
  resolve: { external: false },
  dereference: { excludedPathMatcher: () => true },
  validate: { spec: false },
}

/** Validates a document against OpenAPI's own schema. A document of OpenAPI 3.2 is validated as one of 3.1. */
export async function validateStructure(document: Document): Promise<readonly Mistake[]> {
  const { root, isCut } = inlineFiles(document)
  const mistakes: Mistake[] = isCut ? [unchecked('parts of other files', document)] : []
  const meter = new CheckMeter({ time: TIME_LIMIT })
  let size = FIRST_SIZE
  for (const part of partsOf(withReadVersions(root), () => size)) {
    if (!meter.take() || mistakes.length >= MAX_MISTAKES) {
      return [...mistakes, unchecked('some of the paths and components', document)]
    }
    const errors = await errorsOf(part)
    if (errors.length === 0) size *= 2
    mistakes.push(
      ...toMistakes(
        errors.filter((one) => isJustified(one, document)),
        document,
      ),
    )
  }

  return mistakes
}

async function errorsOf(part: JsonObject): Promise<readonly ErrorObject[]> {
  try {
    await Parser.validate(part as unknown as OpenAPI.Document, OPTIONS)
    return []
  } catch (error) {
    const { details } = error as { readonly details?: readonly ErrorObject[] }
    if (details) return details
    throw error
  }
}

/** The document as the sandbox reads it: wrong versions have been reported, and the parser would stop at them. */
function withReadVersions({ swagger: _, ...root }: JsonObject): JsonObject {
  const { openapi, info, paths } = root

  return {
    ...root,
    openapi: String(openapi).startsWith('3.0') ? '3.0.4' : '3.1.1',
    paths: isObject(paths) ? paths : {},
    ...(isObject(info) &&
      typeof info.version === 'number' && { info: { ...info, version: String(info.version) } }),
  }
}
