import { asObject, type JsonObject } from '../json-value.ts'
import type { Changeable, ConversionNote } from './swagger.ts'

/** The sections of a Swagger document whose parts can be left out one by one. */
const SECTIONS = ['definitions', 'parameters', 'responses', 'securityDefinitions', 'paths'] as const

/** Each attempt converts the document once, so their number is limited. */
const MAX_ATTEMPTS = 100

type Part = readonly [section: string, name: string]

/** Converts what can be converted: when the whole document fails, halves of it, down to the parts that fail. */
export async function withoutFailures(
  document: JsonObject,
  convert: (document: JsonObject) => Promise<Changeable>,
): Promise<{ readonly converted: Changeable; readonly failures: readonly ConversionNote[] }> {
  const parts = SECTIONS.flatMap((section): Part[] =>
    Object.keys(asObject(document[section])).map((name) => [section, name]),
  )
  const failures: ConversionNote[] = []
  let kept: readonly Part[] = []
  let converted: Changeable | undefined
  let attempts = 0

  async function add(added: readonly Part[]): Promise<void> {
    attempts += 1
    const together = [...kept, ...added]
    const error = await convert(only(document, together)).then(
      (result) => {
        kept = together
        converted = result
      },
      (reason: unknown) => ({ reason }),
    )
    if (!error) return
    if (added.length === 1 || attempts >= MAX_ATTEMPTS) {
      failures.push(...added.map((part) => failure(part, error.reason)))
      return
    }
    const middle = Math.ceil(added.length / 2)
    await add(added.slice(0, middle))
    await add(added.slice(middle))
  }

  await add(parts)
  // Then what fails is outside of these sections.
  converted ??= await convert({ swagger: '2.0' })

  return { converted, failures }
}

/** A document with only some of its parts. */
function only(document: JsonObject, parts: readonly Part[]): JsonObject {
  const sections = SECTIONS.map((section) => {
    const values = asObject(document[section])
    const names = parts.flatMap(([one, name]) => (one === section ? [name] : []))
    return [section, Object.fromEntries(names.map((name) => [name, values[name]]))] as const
  })

  return { ...document, ...Object.fromEntries(sections) }
}

function failure(pointer: Part, error: unknown): ConversionNote {
  const [line = ''] = String(error instanceof Error ? error.message : error).split('\n')

  return { reason: `it cannot be converted to OpenAPI 3 (${line})`, pointer }
}
