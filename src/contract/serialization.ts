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

/** How a property of a form is written (OpenAPI, "Encoding Object"). */
export interface PropertyEncoding {
  /** The media type of the part; several are separated by commas. */
  readonly contentType?: string
  readonly style?: ParameterStyle
  readonly explode?: boolean
}
