import { endOfString } from '../../http/body-limits.ts'

/** Parses JSON; `undefined` when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const NUMBER_CHARACTERS: ReadonlySet<string> = new Set('0123456789.eE+-')

/**
 * Parses JSON; integers that JavaScript would round become strings, so that 64-bit ids stay exact. Reads each character
 * once: a regular expression would overflow the stack on a number with millions of digits.
 */
export function parseExactly(text: string): unknown {
  if (!/\d{16}/.test(text)) return parseJson(text)
  let exact = ''
  let from = 0
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '"') at = endOfString(text, at)
    if (!isDigit(text[at])) continue
    const start = text[at - 1] === '-' ? at - 1 : at
    while (NUMBER_CHARACTERS.has(text[at + 1] ?? '')) at += 1
    const number = text.slice(start, at + 1)
    if (!wouldBeRounded(number)) continue
    exact += `${text.slice(from, start)}"${number}"`
    from = at + 1
  }
  return parseJson(exact + text.slice(from))
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9'
}

/** Whether the text is an integer that JavaScript cannot represent exactly. */
function wouldBeRounded(number: string): boolean {
  if (number.length < 16 || Number.isSafeInteger(Number(number))) return false
  return [...'.eE+'].every((character) => !number.includes(character))
}
