/** The characters of a header name (RFC 9110, section 5.1). */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/

/**
 * Headers that a document does not decide: of the content and the connection, of CORS, and those that are in every response. Others
 * would act on the whole host, where the control interface and other servers of the developer are, or open another page.
 */
const OWN =
  /^(content-(type|length|encoding)|transfer-encoding|connection|keep-alive|proxy-.+|te|trailer|upgrade|date|access-control-.+|x-sandbox-.+|alt-svc|clear-site-data|cross-origin-opener-policy|nel|refresh|report-to|service-worker-allowed)$/i

/** Whether a header of this name can be sent. */
export function isHeaderName(name: string): boolean {
  return HEADER_NAME.test(name)
}

/** Whether a document may have a header of this name in responses: it can be sent, and has no meaning for the transport. */
export function isDocumentableHeader(name: string): boolean {
  return isHeaderName(name) && !OWN.test(name)
}
