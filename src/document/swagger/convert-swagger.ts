import { asObject, copyDocument, type JsonObject } from '../json-value.ts'
import type { Mistake } from '../mistake.ts'
import type { Source } from '../source.ts'
import { finishConversion, swaggerPointer } from './finish-conversion.ts'
import {
  type Changeable,
  type ConversionNote,
  changeable,
  prepareSwagger,
} from './prepare-swagger.ts'

/** A Swagger document as OpenAPI 3.0, and what it lost. */
export interface ConvertedSwagger {
  readonly document: JsonObject
  readonly notes: readonly ConversionNote[]
}

/**
 * Converts a Swagger 2.0 document to OpenAPI 3.0. Leaves out the parts that cannot be converted, with a note for each. Reads
 * no files. A `$ref` to another file stays as it is.
 */
export async function convertSwagger(value: JsonObject): Promise<ConvertedSwagger> {
  const prepared = changeable(copyDocument(value))
  const notes = prepareSwagger(prepared)
  const { converted, failures } = await withoutFailures(prepared, convert)
  const warnings = finishConversion(converted, value)

  return { document: converted, notes: [...notes, ...failures, ...warnings] }
}

/** The whole conversion by the library, which changes its input. Rejects when it finds a part that it cannot convert. */
async function convert(swagger: JsonObject): Promise<Changeable> {
  const { default: converter } = await import('swagger2openapi')
  const { warn } = console
  try {
    // The library prints an error before it rejects. The conversion runs without waiting for anything outside of it.
    console.warn = () => undefined
    const { openapi } = await converter.convertObj(withoutMethodName(swagger), {
      patch: true,
      warnOnly: true,
      // Without the text, the library writes the document as YAML.
      text: ' ',
    })
    return changeable(withMethodName(openapi))
  } finally {
    console.warn = warn
  }
}

/** What names of a document get that the converter could not distinguish from the method of objects that it calls. */
const MARK = '-renamed'

/** A copy of a document whose keys are no methods that the converter calls. */
function withoutMethodName(swagger: JsonObject): unknown {
  const text = JSON.stringify(copyDocument(swagger))

  return JSON.parse(
    text.replaceAll(/(?<="hasOwnProperty)(?=":)|(?<=\/hasOwnProperty)(?=[/"])/g, MARK),
  )
}

function withMethodName(openapi: unknown): unknown {
  const text = JSON.stringify(openapi)

  return text.includes(MARK)
    ? JSON.parse(text.replaceAll(`hasOwnProperty${MARK}`, 'hasOwnProperty'))
    : openapi
}

/**
 * The source of a Swagger 2.0 document as the source of an OpenAPI 3.0 document, whose values are located in the Swagger
 * document, and what was lost.
 */
export async function convertSource(
  source: Source,
): Promise<{ readonly source: Source; readonly mistakes: readonly Mistake[] }> {
  const value = asObject(source.value)
  const { document, notes } = await convertSwagger(value)
  const locateAll: Source['locateAll'] = (wanted) =>
    source.locateAll(
      wanted.map(({ pointer, part }) => ({
        pointer: swaggerPointer(pointer, document, value),
        part,
      })),
    )
  const locate: Source['locate'] = (pointer, part) => locateAll([{ pointer, part }])[0] ?? ''
  const mistakes = notes.map(({ reason, pointer }): Mistake => {
    const help = 'Correct the document, or convert it to OpenAPI 3.'
    return { reason, location: { source, pointer }, assumed: 'it is left out', help }
  })

  return { source: { ...source, value: document, locate, locateAll }, mistakes }
}

/** The sections of a Swagger document whose parts can be left out one by one. */
const SECTIONS = ['definitions', 'parameters', 'responses', 'securityDefinitions', 'paths'] as const

/** Each attempt converts the document once, so their number is limited. */
const MAX_ATTEMPTS = 100

type Part = readonly [section: string, name: string]

/** Converts what can be converted: when the whole document fails, halves of it, down to the parts that fail. */
async function withoutFailures(
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
