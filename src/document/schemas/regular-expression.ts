import type { RegExpEngine } from 'ajv/dist/types/index.js'

/** Whether a string is a regular expression in JavaScript, with or without the `u` flag. */
export function isPattern(text: string): boolean {
  try {
    toRegExp(text, 'u')
    return true
  } catch {
    return false
  }
}

/** JSON Schema requires the `u` flag. Many real patterns, such as `[\w-.]`, are invalid with it. */
export const toRegExp: RegExpEngine = Object.assign(createRegExp, {
  // Ajv writes this into standalone code.
  code: 'new RegExp',
})

function createRegExp(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags)
  } catch {
    return new RegExp(pattern)
  }
}
