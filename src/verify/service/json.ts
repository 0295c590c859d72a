import { endOfString } from '../../http/json-limits.ts'

/** JSON text as a value; `undefined` when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Characters of a number, but for the minus before it. */
const IN_NUMBER: ReadonlySet<string> = new Set('0123456789.eE+-')

/**
 * The same, with integers that JavaScript would round as text: ids of 64 bits stay what they are. Reads each character once;
 * a regular expression would run out of stack on a number of millions of digits.
 */
export function parseExactly(text: string): unknown {
  if (!/\d{16}/.test(text)) return parseJson(text)
  let exact = ''
  let from = 0
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '"') at = endOfString(text, at)
    if (!isDigit(text[at])) continue
    const start = text[at - 1] === '-' ? at - 1 : at
    while (IN_NUMBER.has(text[at + 1] ?? '')) at += 1
    const number = text.slice(start, at + 1)
    if (!isRounded(number)) continue
    exact += `${text.slice(from, start)}"${number}"`
    from = at + 1
  }
  return parseJson(exact + text.slice(from))
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9'
}

/** Whether it is an integer that JavaScript would round. */
function isRounded(number: string): boolean {
  if (number.length < 16 || Number.isSafeInteger(Number(number))) return false
  return [...'.eE+'].every((character) => !number.includes(character))
}
