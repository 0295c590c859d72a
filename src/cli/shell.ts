import { shellQuoted } from '../requests/curl.ts'

/** A word of a shell command, in quotes where the shell could change it. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) && !text.startsWith('=') ? text : shellQuoted(text)
}

/** A URL without its user, password and query, which may be secret. */
export function withoutCredentials(document: string): string {
  return document.replace(/^(https?:\/\/)(?:[^/?#]*@)?([^?#]*).*/is, '$1$2')
}
