/** The notices that were given already. */
const given = new Set<string>()

/** Tells a developer once that something is deprecated: by Node's warnings, or on the console of a page. */
export function noticeDeprecated(message: string): void {
  if (given.has(message)) return
  given.add(message)
  const { process } = globalThis
  if (process?.emitWarning) process.emitWarning(message, 'DeprecationWarning')
  // biome-ignore lint/suspicious/noConsole: A page has no other place for warnings.
  else console.warn(`pet-sandbox: ${message}`)
}
