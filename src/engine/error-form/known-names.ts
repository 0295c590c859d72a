/** A name without its spelling: `errorCode`, `error_code` and `error-code` are the same. */
export function normalizedName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** Names of the sentence that says what happened, the most usual first. */
const SENTENCE =
  /^(\w*message|\w*msg|\w*errortext|\w*errordescription|\w*errordetails?|description|details?|text|explanation|cause|info|summary|faultstring|issue|problem|content|hint|reason)$/

export function isSentence(name: string): boolean {
  return SENTENCE.test(name)
}

/** Names of lists and objects with one entry for each error. */
const LIST =
  /^(\w*errors?|\w*errorlist|\w*errormessages|details?|violations|\w*issues|problems|invalid\w+|fields|params|parameters|attributes|\w*messages|causes|faults|failures|exceptions|reasons|\w*notifications|validation\w*)$/

export function isErrorList(name: string): boolean {
  return LIST.test(name)
}

/** Names of what says where the error is. */
const FIELD =
  /^(field|fieldname|fieldpath|fields|param|params|parameter|parametername|property|propertyname|propertypath|attribute|attributename|pointer|jsonpointer|datapath|instancepath|argument)$/

/** Further names of the same in an entry of a list of errors. */
const FIELD_OF_ITEM =
  /^(location|locationtype|name|key|path|target|element|member|source|in|loc|subject)$/

export function isField(name: string, isItem: boolean): boolean {
  return FIELD.test(name) || (isItem && FIELD_OF_ITEM.test(name))
}
