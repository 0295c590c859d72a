/** A preference `example` (RFC 7240): its name is a token or a quoted string. */
const PREFERENCE = /(?:^|[,;])\s*example\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,;"]+))/i

/** The name of the example that a request prefers (`Prefer: example=NAME`). */
export function preferredExample(prefer: string | undefined): string | undefined {
  const [, quoted, token] = PREFERENCE.exec(prefer ?? '') ?? []
  return quoted === undefined ? token : quoted.replace(/\\(.)/g, '$1')
}

/** The value of `Preference-Applied` for an example. */
export function appliedExample(name: string): string {
  const isToken = /^[\w!#$%&'*+.^`|~-]+$/.test(name)
  return isToken ? `example=${name}` : `example="${name.replace(/["\\]/g, '\\$&')}"`
}

/** The preference of Prism for generated values instead of examples. */
const DYNAMIC = /(^|[,;])\s*dynamic\s*(=\s*"?true"?\s*)?($|[,;])/i

/** Whether a request prefers generated values (`Prefer: dynamic`). */
export function prefersGenerated(prefer: string | undefined): boolean {
  return DYNAMIC.test(prefer ?? '')
}
