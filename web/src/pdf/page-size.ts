/** Size of a page as displayed, in points. */
export interface PageSize {
  width: number;
  height: number;
}
