/** Whether a text can be a bearer token in an `Authorization` header (RFC 6750, section 2.1). */
export function isBearerToken(text: string): boolean {
  return /^[\w~+/.-]+=*$/.test(text)
}
