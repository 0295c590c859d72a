/**
 * The pattern of the id in a member of an index, which follows the last two NUL characters. Without its `^`, a search in a long text
 * without an id would begin anew at each character, and keep the store busy for minutes.
 */
export const MEMBER_ID: string = "'^.*%z%z(.*)$'"
