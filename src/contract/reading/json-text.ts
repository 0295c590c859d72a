import { MAX_BODY_DEPTH, sizeOfJson, type ValueLimit } from '../../http/body-limits.ts'
import { parseExactJson } from '../parse-exact-json.ts'

/** The value of a JSON text, with exact numbers; `undefined` when it is not JSON or nested too deeply. Throws a 413 for too many values. */
export function parseJsonText(text: string, limit: ValueLimit): unknown {
  const { values, excess } = sizeOfJson(text, { levels: MAX_BODY_DEPTH, values: limit.left })
  if (excess === 'levels') return undefined
  limit.countJson(text, values)
  try {
    return parseExactJson(text)
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}
