import { type Problem, problems } from '../../http/problem.ts'

/** UTF-8 text as it is, other bytes as one character each. */
export function bytesToString(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return characters(bytes)
  }
}

/** A function takes a limited number of arguments. */
const CHUNK = 8192

function characters(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += CHUNK) {
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK))
  }
  return text
}

/** Throws a 400 for bytes that are no text in this character encoding. */
export function decodeText(bytes: Uint8Array, charset = 'utf-8'): string {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    throw invalidBody(`must be valid ${charset.toUpperCase()}`)
  }
}

/** The 400 of a body that cannot be read. */
export function invalidBody(message: string): Problem {
  return problems.invalidInput([{ location: 'body', message }])
}
