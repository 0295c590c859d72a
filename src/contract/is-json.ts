/** Whether content of a media type is JSON. The media type is in lower case and without parameters. */
export function isJson(mediaType: string): boolean {
  return /^[\w.-]+\/([\w.-]+\+)?json$/.test(mediaType)
}
