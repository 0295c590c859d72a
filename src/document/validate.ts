import Parser from '@apidevtools/swagger-parser'
import type { ErrorObject } from 'ajv'
import type { OpenAPI } from 'openapi-types'
import { shortened } from '../validation/usage-error.ts'
import { uncircled } from './circles.ts'
import { type Document, targetOf } from './document.ts'
import { explain } from './explain.ts'
import { type Mistake, Mistakes, refuse } from './mistake.ts'
import { isNode, type Node, nodeOf } from './node.ts'
import type { Source } from './source.ts'

/**
 * Refuses what is no OpenAPI document of version 3.0 or 3.1 before anything else is asked of it.
 */
export function checkVersion(source: Source): void {
  const root = source.value
  if (!isNode(root) || (root.openapi === undefined && root.swagger === undefined)) {
    const advice = 'An OpenAPI document starts with a line such as "openapi: 3.1.1".'
    throw new Mistakes([{ why: 'it is not an OpenAPI document', place: source.place([]), advice }])
  }

  refuse([...versionMistakes(root, source), ...apiVersionMistakes(root, source)])
  if (!isNode(root.paths)) {
    const [why, place] =
      root.paths === undefined
        ? ['it has no paths', source.place([])]
        : ['"paths" is no map', source.place(['paths'])]
    throw new Mistakes([{ why, place, advice: 'Add at least one path below "paths".' }])
  }
}

function versionMistakes({ openapi, swagger }: Node, source: Source): Mistake[] {
  if (openapi === undefined) {
    const why = `Swagger ${String(swagger)} is not supported`
    return [
      {
        why,
        place: source.place(['swagger']),
        advice: 'Convert it to OpenAPI 3.1, at converter.swagger.io for instance.',
      },
    ]
  }
  const place = source.place(['openapi'])
  if (typeof openapi !== 'string') {
    return [
      { why: '"openapi" must be text', place, advice: "Write the version in full, as '3.1.1'." },
    ]
  }
  if (/^3\.(0\.[0-4]|1\.[0-2])$/.test(openapi)) return []
  const isShort = /^3\.[01]$/.test(openapi)
  const advice = isShort ? `Write it in full, as ${openapi}.1.` : 'Use 3.1.1 or 3.0.4.'

  return [{ why: `OpenAPI ${shortened(openapi)} is not supported`, place, advice }]
}

function apiVersionMistakes(root: Node, source: Source): Mistake[] {
  const { version } = nodeOf(root.info)
  const place = source.place(['info', 'version'])

  return typeof version === 'number'
    ? [
        {
          why: '"version" must be text, not a number',
          place,
          advice: `Put it in quotes, as '1.0.0'.`,
        },
      ]
    : []
}

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
    if (details) return refuse(explain(details.filter(isWarranted), document))
    const [why = 'it is not valid'] = message.split('\n')
    const place = document.sources[0]?.name ?? ''
    throw new Mistakes([{ why, place, advice: 'Correct the document.' }], { cause: error })
  }
}

/**
 * The parser's edition of the 3.1 schema misspells the `description` of a server variable, and so
 * refuses it (OAI/OpenAPI-Specification#2793).
 */
function isWarranted({ instancePath, params }: ErrorObject): boolean {
  const isVariable = /^\/(.*\/)?servers\/\d+\/variables\/[^/]+$/.test(instancePath)

  return !(isVariable && params.unevaluatedProperty === 'description')
}

/** Far above the largest public documents; past it, checking would take minutes and gigabytes. */
const MOST_VALUES = 10_000_000

/**
 * Refuses a few lines of `$ref`s that stand for billions of values. The document must hold no
 * circles.
 */
function overweight(root: Node, sources: readonly Source[]): Mistake[] {
  const weights = new Map<unknown, number>()

  function weigh(value: unknown): number {
    if (typeof value !== 'object' || value === null) return 1
    const known = weights.get(value)
    if (known !== undefined) return known
    const target = targetOf({ root }, value)
    const weight = Object.values(value).reduce(
      (sum: number, child) => sum + weigh(child),
      1 + weigh(target?.value),
    )
    weights.set(value, weight)

    return weight
  }

  if (weigh(root) <= MOST_VALUES) return []
  const why = `its $refs stand for more than ${MOST_VALUES.toLocaleString('en')} values`

  return [{ why, place: sources[0]?.name ?? '', advice: 'Let the schemas nest less.' }]
}
