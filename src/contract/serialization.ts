/** How the value of a parameter is written as text (OpenAPI, "Style Values"). */
export type ParameterStyle =
  | 'matrix'
  | 'label'
  | 'simple'
  | 'form'
  | 'spaceDelimited'
  | 'pipeDelimited'
  | 'deepObject'
  | 'cookie'

/** How the value of a parameter becomes text. */
export interface ParameterSerialization {
  /** How a value is written as text; default: `form` in a query and a cookie, `simple` in a path and a header. */
  readonly style?: ParameterStyle
  /** Whether each value of a list or object is written on its own; default: for the style `form` only. */
  readonly explode?: boolean
  /** The media type of the text, where the parameter has `content` instead of a style. */
  readonly mediaType?: string
  /** Whether an empty text is allowed whatever the schema says. */
  readonly allowEmptyValue?: true
}

/** How a property of a form is written (OpenAPI, "Encoding Object"). */
export interface PropertyEncoding {
  /** The media type of the part; several are separated by commas. */
  readonly contentType?: string
  readonly style?: ParameterStyle
  readonly explode?: boolean
}
