import type { UsageError } from '../../../validation/usage-error.ts'

/** The message of the sandbox by the name of the property that it is about; the empty name when it names none of `names`. */
export function fieldErrorsOf(
  error: Pick<UsageError, 'help' | 'location' | 'message' | 'reason'>,
  names: readonly string[],
): Readonly<Record<string, string>> {
  const { location = '', message } = error
  const field = names.find((name) => location === name || startsWith(location, name))
  if (field === undefined) return { '': message }
  const place = location === field ? '' : `${location}: `
  const end = error.help && ` ${error.help}`

  return { [field]: `${place}${error.reason}.${end}` }
}

/** Whether a location such as `address.city` or `tags[0]` is inside of a property. */
function startsWith(location: string, name: string): boolean {
  return location.startsWith(name) && /^[.[/]/.test(location.slice(name.length))
}
