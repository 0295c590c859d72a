/** `1 request`, `3 requests`. */
export function count(number: number, noun: string): string {
  return `${number} ${plural(number, noun)}`
}

/** `request` for 1, else `requests`. */
export function plural(number: number, noun: string): string {
  return number === 1 ? noun : `${noun}s`
}
