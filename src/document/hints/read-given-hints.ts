import type { GivenHints } from '../../inference/given-hints.ts'
import { mistakesIn, type ValueCheck, type ValueMistake } from '../../validation/value-check.ts'
import { type Document, resolveRef } from '../document.ts'
import type { Pointer } from '../json-pointer.ts'
import { asObject, type JsonObject } from '../json-value.ts'
import { operationIdsOf, operationsOf } from '../operations.ts'
import { parsePathKey } from '../path-key.ts'
import type { LocatedMistake } from '../security.ts'
import { readServiceHints } from '../service-hints.ts'
import { checkOf, type HintSchema } from './hint-schema.ts'
import { OPERATION_VOCABULARY } from './operation-vocabulary.ts'
import { PATH_VOCABULARY } from './path-vocabulary.ts'
import { unknownNamesIn, unknownPathsIn } from './unknown-names.ts'

/** The hints of paths and operations, and what is wrong with them. */
export interface ReadGivenHints {
  /** Without the fields that are wrong. */
  readonly hints: GivenHints
  readonly mistakes: readonly LocatedMistake[]
}

const EXTENSION = 'x-sandbox'

const OPERATION = checkOfFields(OPERATION_VOCABULARY)
const PATH = checkOfFields(PATH_VOCABULARY)

/**
 * Reads the `x-sandbox` of the path items and operations of a document. Never throws: what is wrong is left out. `inference`
 * says whether anything is inferred; default: what the document says, else yes.
 */
export function readGivenHints(document: Document, inference?: boolean): ReadGivenHints {
  const { paths: items, [EXTENSION]: service } = document.root
  const entries = operationsOf(document)
  const ids = operationIdsOf(entries)
  const mistakes: LocatedMistake[] = []
  const templates = Object.keys(asObject(items))
  const paths = templates.flatMap((template) => {
    const value = resolveRef(document, asObject(items)[template])[EXTENSION]
    if (value === undefined) return []
    const found = [...mistakesIn(value, PATH), ...unknownPathsIn(asObject(value), templates, ids)]
    mistakes.push(...located(found, ['paths', template]))
    return [[parsePathKey(template).template, withoutFields(asObject(value), found)] as const]
  })
  const operations = entries.flatMap(({ operation, parameters, pointer }, index) => {
    const value = operation[EXTENSION]
    if (value === undefined) return []
    const found = [...mistakesIn(value, OPERATION), ...unknownNamesIn(asObject(value), parameters)]
    mistakes.push(...located(found, pointer))
    return [[ids[index] ?? '', withoutFields(asObject(value), found)] as const]
  })
  const hints = {
    inference: inference ?? asObject(service).inference !== false,
    paths: new Map([...serviceResources(document), ...paths]),
    operations: new Map(operations),
  }

  return { hints, mistakes }
}

/** The hints of the document for paths that it does not have. `validateGivenHints` reports their mistakes. */
function serviceResources({ root }: Document): readonly (readonly [string, JsonObject])[] {
  const { resources } = readServiceHints(root)?.hints ?? {}
  return Object.entries(resources ?? {}).map(([path, hints]) => [path, asObject(hints)])
}

function checkOfFields(properties: Readonly<Record<string, HintSchema>>): ValueCheck {
  return checkOf({ type: 'object', properties })
}

function located(mistakes: readonly ValueMistake[], pointer: Pointer): readonly LocatedMistake[] {
  return mistakes.map(({ path, part, reason, help: _, ...suggestion }) => ({
    reason: path.length === 0 ? `"${EXTENSION}" must be an object` : `${EXTENSION}: ${reason}`,
    pointer: [...pointer, EXTENSION, ...path.map(String)],
    part,
    assumed: 'it is ignored',
    ...suggestion,
  }))
}

/** The fields without mistakes. */
function withoutFields(value: JsonObject, mistakes: readonly ValueMistake[]): JsonObject {
  const wrong = new Set(mistakes.map(({ path: [field] }) => field))
  return Object.fromEntries(Object.entries(value).filter(([name]) => !wrong.has(name)))
}
