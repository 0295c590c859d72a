import type { JsonObject } from '../json-value.ts'
import { copyDocument } from '../references/copy-document.ts'
import { finishConversion } from './finish-conversion.ts'
import { prepareSwagger } from './prepare-swagger.ts'
import { type Changeable, type ConversionNote, changeable } from './swagger.ts'
import { withoutFailures } from './without-failures.ts'

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
