/** The notices that were given already. */
const given = new Set<string>()

/** Warns the developer once that something is deprecated: with a warning of Node, or on the console of a page. */
export function noticeDeprecated(message: string): void {
  if (given.has(message)) return
  given.add(message)
  const { process } = globalThis
  if (process?.emitWarning) process.emitWarning(message, 'DeprecationWarning')
  // biome-ignore lint/suspicious/noConsole: A page has no other place for warnings.
  else console.warn(`pet-sandbox: ${message}`)
}
