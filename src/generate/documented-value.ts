import { type GeneratedValue, generateValue, type ValueRequest } from './generate-value.ts'
import { createHintedValues, HintError, type HintedValues, withoutHints } from './hinted-values.ts'

export type { GeneratedValue, ValueRequest }

/**
 * Generates a plausible value that matches a schema. Faker is loaded only for schemas with `x-faker` hints. When these fail, or
 * make an invalid value, the value is made without them, and `reason` says so.
 */
export async function generateDocumentedValue(request: ValueRequest): Promise<GeneratedValue> {
  const makeHinted = await createHintedValues(request.schema, {
    now: request.now,
    locale: request.locale,
  })
  const hinted = generateHinted(request, makeHinted)
  if (hinted.isValid || makeHinted === withoutHints) return hinted
  const plain = generateValue(request, { makeHinted: withoutHints })
  const { reason = 'it makes an invalid value' } = hinted

  return plain.isValid ? { ...plain, reason: `an x-faker hint is not used: ${reason}` } : hinted
}

function generateHinted(request: ValueRequest, makeHinted: HintedValues): GeneratedValue {
  try {
    return generateValue(request, { makeHinted })
  } catch (error) {
    if (!(error instanceof HintError)) throw error
    return { value: undefined, isValid: false, reason: error.message, property: error.property }
  }
}
