/** A word of a shell command, in quotes where the shell could change it. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) && !text.startsWith('=') ? text : shellQuoted(text)
}

/** Text in single quotes, in which a POSIX shell changes nothing. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** A URL without its user, password and query, which may be secret. */
export function withoutCredentials(document: string): string {
  return document.replace(/^(https?:\/\/)(?:[^/?#]*@)?([^?#]*).*/is, '$1$2')
}
