/** A word of a shell command, in quotes where the shell could change it. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) && !text.startsWith('=') ? text : shellQuoted(text)
}

/** Text in single quotes, in which a POSIX shell changes nothing. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
