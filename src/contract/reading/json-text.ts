import { excessOf, MAX_BODY_DEPTH } from '../../http/json-limits.ts'
import { parseExactJson } from '../parse-exact-json.ts'

/** The value of a JSON text, with exact numbers; `undefined` when it is not JSON or nested too deeply. */
export function parseJsonText(text: string): unknown {
  if (excessOf(text, { levels: MAX_BODY_DEPTH })) return undefined
  try {
    return parseExactJson(text)
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}
