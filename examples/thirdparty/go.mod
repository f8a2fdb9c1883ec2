module github.com/rowcast/rowcast/examples/thirdparty

go 1.25

require (
	github.com/julienschmidt/httprouter v1.3.0
	github.com/rowcast/rowcast v0.0.0
)

replace github.com/rowcast/rowcast => ../..
