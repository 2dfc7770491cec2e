package diff

// role is what an object is to those that refer to it. It decides which rule is asked when the object changes. An
// object that is referred to in several ways has several roles, and all of their rules are asked.
//
// Roles are in the order in which changes are judged: what leads comes before what it leads to.
type role uint8

const (
	roleCatalog role = iota
	roleInfo
	roleExtensions // and what stands below
	roleMarkInfo
	roleMetadata
	roleForm
	roleFields    // array of the fields at the form's root
	roleField     // field, or the widget below a field
	roleKids      // array of what is below a field; owner: the field
	roleValue     // signature dictionary; owner: the field, 0 for a certification named by the catalog
	roleContents  // value of another field; owner: the field
	roleDefaults  // resources of the form
	roleResources // one kind of them
	rolePages     // node of the page tree
	rolePage
	roleAnnots         // array of annotations; owner: the page
	roleAnnotation     // widget or comment on a page
	roleAppearances    // appearance dictionary, or one by states; owner: the widget
	roleAppearance     // appearance stream; owner: the widget
	roleStore          // document security store
	roleStoreItems     // array of certificates, responses or lists
	roleStoreItem      // one of them
	roleVRIs           // dictionary by signature
	roleVRI            // what belongs to one signature
	roleStructure      // root of the structure tree
	roleElements       // array of structure elements
	roleElement        // structure element, or a reference to an object in it
	roleParents        // node of the parent tree
	roleNumbers        // array of pairs in it
	rolePart           // of something that may be added as a whole and never changes by itself
	roleAppearancePart // the same of what an appearance is drawn with, where nothing is a mere mention
	roleContent        // what a page is drawn with
	roleOther          // anything else
	roleMention        // page or node that /Parent, /P or /Pg names; no object has it, see skeleton.roleOf
	roleCount
)

// isOwned reports whether objects in the role are told apart by owner.
func (r role) isOwned() bool {
	switch r {
	case roleKids, roleValue, roleContents, roleAnnots, roleAppearances, roleAppearance:
		return true
	}
	return false
}

// isAnchor reports whether objects in the role may be mentioned anywhere, as the page of a destination is. Their rules
// allow no change that whoever mentions them could show: lists of fields and annotations gain fields, the security store
// gains proof, and nothing that refers to one of them in another role reads that.
func (r role) isAnchor() bool {
	switch r {
	case roleCatalog, rolePages, rolePage, roleAnnotation, roleField, roleStructure, roleElement,
		roleForm, roleFields, roleAnnots, roleStore, roleStoreItems, roleVRIs:
		return true
	}
	return false
}

// isStoreRole reports whether the role is one of the document security store.
func (r role) isStoreRole() bool { return r >= roleStore && r <= roleVRI }

// isMention reports whether an anchor is only mentioned in the role.
func (r role) isMention() bool { return r == rolePart || r == roleOther }

// isTyped reports whether the role has a structure of its own; the others spread to all they refer to.
func (r role) isTyped() bool { return r < rolePart }

// node is an object in a role.
type node struct {
	number uint32
	role   role
	owner  uint32 // object number, if the role is owned
}
